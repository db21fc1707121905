from dataclasses import replace

from graph_store.bundles import Collection
from graph_store.records import Chunk, TreeNode
from raptor.settings import TreeSettings
from raptor.tree import build_trees
from tests.raptor.text_collections import collection_of


def _long_document(title: str, headings: tuple[str, ...]) -> Collection:
    """A document of 24 chunks; each third of it stands under one of three headings and has its own words."""
    words = ("antenna dish signal", "painter canvas gallery", "harvest wheat farmer")
    texts = [f"The {words[number // 8]} was seen {words[number // 8]} again." for number in range(24)]
    collection = collection_of({"d": texts}, titles={"d": title})

    def headed(chunk: Chunk) -> Chunk:
        return replace(chunk, heading_path=(headings[chunk.position // 8],) if headings else ())

    return replace(collection, chunks=tuple(map(headed, collection.chunks)))


def _titles(collection: Collection) -> tuple[str, list[str]]:
    """Return the title of the root, and of the nodes below it."""
    nodes = build_trees(collection, TreeSettings(cluster_size=5))
    below = [node.title for node in nodes if node.parent_id is not None]
    (root,) = [node for node in nodes if node.parent_id is None]
    return root.title, below


def test_root_of_a_document_bears_its_title_and_parts_their_headings() -> None:
    root, below = _titles(_long_document("Report", ("Antennas", "Painters", "Farmers")))
    assert root == "Report"
    assert {title.split(" - ")[0] for title in below} == {"Report"}
    assert {title.split(" - ")[1] for title in below} >= {"Antennas", "Painters", "Farmers"}


def test_parts_without_headings_are_named_by_their_words() -> None:
    _, below = _titles(_long_document("Report", ()))
    words = [set(title.removeprefix("Report - ").split(", ")) for title in below]
    assert any({"antenna", "dish", "signal"} <= found for found in words)


def test_heading_that_repeats_the_title_is_not_said_twice() -> None:
    _, below = _titles(_long_document("Report", ("Report", "Report", "Report")))
    assert not any(title == "Report - Report" for title in below)


def _two_topics() -> tuple[TreeNode, ...]:
    texts = {f"a{i}": ["We turned the antenna. The signal of the antenna was heard."] for i in range(12)}
    texts |= {f"b{i}": ["We met the painter. The gallery of the painter was full."] for i in range(12)}
    return build_trees(collection_of(texts, titles=dict.fromkeys(texts, "")), TreeSettings(cluster_size=4))


def test_cross_document_nodes_are_named_by_what_tells_them_apart() -> None:
    nodes = _two_topics()
    of_one = [node for node in nodes if len({chunk[0] for chunk in node.chunk_ids}) == 1]
    assert of_one
    for node in of_one:
        about = "Antenna and signal" if node.chunk_ids[0].startswith("a") else "Painter and gallery"
        assert node.title.startswith((about, " and ".join(reversed(about.lower().split(" and "))).capitalize()))
    assert _root(nodes).title


def test_no_two_cross_document_nodes_have_one_title() -> None:
    titles = [node.title for node in _two_topics()]
    assert len(set(titles)) == len(titles)


def _root(nodes: tuple[TreeNode, ...]) -> TreeNode:
    (root,) = [node for node in nodes if node.parent_id is None]
    return root

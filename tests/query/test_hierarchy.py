from query.hierarchy import Place, top_items, without_relatives


def places(*entries: tuple[str, str | None, int]) -> list[Place]:
    return [Place(id=item, parent_id=parent, size=size) for item, parent, size in entries]


def test_the_top_is_the_items_without_parents_largest_first() -> None:
    assert top_items(places(("a", None, 3), ("b", None, 5), ("c", "a", 2)), least=2) == ("b", "a")


def test_a_single_root_is_opened_until_there_are_enough() -> None:
    tree = places(("root", None, 9), ("x", "root", 5), ("y", "root", 4), ("x1", "x", 3), ("x2", "x", 2))
    assert top_items(tree, least=2) == ("x", "y")
    assert top_items(tree, least=3) == ("y", "x1", "x2")


def test_a_hierarchy_too_small_gives_what_it_has() -> None:
    assert top_items(places(("a", None, 1)), least=4) == ("a",)
    assert top_items([], least=4) == ()


def test_an_item_whose_parent_is_not_readable_stands_at_the_top() -> None:
    assert top_items(places(("a", "hidden", 1)), least=1) == ("a",)


def test_neither_ancestors_nor_descendants_stand_beside_each_other() -> None:
    parents = {"a": None, "b": "a", "c": "b", "d": "a", "e": None}
    assert without_relatives(["b", "c", "a", "d", "e", "d"], parents) == ("b", "d", "e")
    assert without_relatives(["a", "b", "e"], parents) == ("a", "e")


def test_a_hierarchy_that_runs_in_a_circle_ends() -> None:
    assert without_relatives(["a", "b"], {"a": "b", "b": "a"}) == ("a",)

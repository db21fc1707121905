"""Documents full of words that stand nowhere else, and a search for words in every file of a store."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from graph_store.embedded.keyword_index import KeywordIndex

_LETTERS = "bcdfgklmnpqrtvwxz"
_PLACES = ("body", "title", "heading", "value", "key", "file", "entity", "partner", "cell")


def secret_words(seed: str) -> dict[str, str]:
    """Return a word for each place of a document: letters that no language has, so no stemmer changes them."""
    words = {}
    for place in _PLACES:
        digest = hashlib.sha256(f"{seed} {place}".encode()).digest()
        words[place] = "qo" + "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:10]) + "o"
    return words


def secret_row(seed: str) -> dict[str, object]:
    """Return a row of a corpus whose words are secret; its id is one of them."""
    words = secret_words(seed)
    return {
        "id": f"row-{words['file']}",
        "title": f"The {words['title']} report",
        "text": secret_text(words),
        "metadata": {words["key"]: words["value"], "tags": [words["value"], "common"]},
    }


def secret_text(words: dict[str, str]) -> str:
    """Return a text that names entities, relates them, and has a heading and a table."""
    entity, partner = words["entity"].capitalize(), words["partner"].capitalize()
    return (
        f"## History of {words['heading']}\n\n"
        f"Doctor {entity} was a physician from Bergen. In 1990 {entity} founded the {partner} Institute in Bergen. "
        f"{entity} directs the {partner} Institute. Elsa Brandt met {entity} at the harbour of Bergen. "
        f"The harbour has {words['body']} in its warehouses.\n\n"
        f"| name | amount |\n| --- | --- |\n| {words['cell']} | 12 |\n"
    )


def write_secret_file(folder: Path, seed: str) -> Path:
    """Write a Markdown file whose words, and whose name, are secret."""
    words = secret_words(seed)
    path = folder / f"{words['file']}.md"
    front = f"---\n{words['key']}: {words['value']}\n---\n"
    path.write_text(f"{front}# The {words['title']} report\n\n{secret_text(words)}", encoding="utf-8")
    return path


def write_rows(path: Path, rows: Iterable[dict[str, object]]) -> Path:
    """Write a corpus of rows."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def found_in_files(store: Path, words: Iterable[str]) -> set[str]:
    """Return "word in file" for each word that stands in any byte of any file, in any case, in UTF-8 or UTF-16."""
    wanted = sorted({word.casefold() for word in words})
    found = set()
    for path in sorted(path for path in store.rglob("*") if path.is_file()):
        content = path.read_bytes().lower()
        name = path.relative_to(store).as_posix().casefold()
        for word in wanted:
            if any(word.encode(code) in content for code in ("utf-8", "utf-16-le", "utf-16-be")) or word in name:
                found.add(f"{word} in {name}")
    return found


def found_in_keywords(store: Path, words: Iterable[str]) -> set[str]:
    """Return "word in index" for each word that a keyword index still lists, be it for texts that are deleted.

    Term dictionaries are packed, so their bytes do not show words; nor do they show that no file is older than the
    index: a segment that the index does not name is told too.
    """
    found = set()
    for meta in sorted(store.rglob("meta.json")):
        index = KeywordIndex(meta.parent, memory_bytes=15_000_000)
        found |= {
            f"{word} in {meta.parent.name}" for word in words if index._searcher.doc_freq("text", word.casefold())
        }
        named = {segment["segment_id"].replace("-", "") for segment in json.loads(meta.read_bytes())["segments"]}
        others = {path.stem for path in meta.parent.iterdir() if len(path.stem) == 32} - named
        found |= {f"{other} in {meta.parent.name} is no part of it" for other in others}
    return found


def left_behind(store: Path, words: Iterable[str]) -> set[str]:
    """Return what is left of words anywhere in a store."""
    wanted = list(words)
    return found_in_files(store, wanted) | found_in_keywords(store, wanted)

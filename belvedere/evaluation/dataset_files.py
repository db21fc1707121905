"""The files of a data set: JSON Lines, or a folder of documents and questions in YAML, each row checked."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from reprlib import Repr
from typing import TypeAlias

from belvedere.errors import UserMistake

Row: TypeAlias = Mapping[str, object]

Check: TypeAlias = Callable[[Row], str]
"""What is wrong with a row, empty where nothing is."""

_FORM = "a data set is a folder with corpus.jsonl and questions.jsonl, or with corpus/ and questions.yaml"


_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother, _SHORT.maxlong = 2, 80, 80, 40


class DatasetError(UserMistake):
    """A data set that cannot be evaluated; one sentence with the file and the line."""


def shown(value: object) -> str:
    """Return a value of a row for a message, shortened where it is long or deep."""
    return _SHORT.repr(value)


def corpus_rows(folder: Path) -> list[Row]:
    """Return the documents of a data set: rows of ``corpus.jsonl``, else the files below ``corpus/``.

    A file's id is its path below that folder, as in a store that was made of it.
    """
    path = folder / "corpus.jsonl"
    if not path.exists() and (folder / "corpus").is_dir():
        path = folder / "corpus"
        rows = list(_loaded(path))
    else:
        rows = _json_rows(path, required=("id", "text"), check=_document_problem)
    if not rows:
        raise DatasetError(f"{path} holds no document: give a line of JSON with id, title and text for each, or files")
    return rows


def refuse_duplicates(corpus: Sequence[Row], folder: Path) -> None:
    """Raise ``DatasetError`` where two documents have one id."""
    seen: set[object] = set()
    for row in corpus:
        if row["id"] in seen:
            raise DatasetError(f"{folder}: two documents have the id {shown(row['id'])}")
        seen.add(row["id"])


def question_rows(folder: Path, check: Check) -> list[Row]:
    """Return the questions of a data set: rows of ``questions.jsonl``, else the entries of ``questions.yaml``.

    ``gold`` counts as ``gold_ids`` where a row has no other.
    """
    path = folder / "questions.jsonl"
    if path.exists() or not (folder / "questions.yaml").exists():
        return _json_rows(path, required=("question",), check=check)
    return _yaml_rows(folder / "questions.yaml", required=("question",), check=check)


def _document_problem(row: Row) -> str:
    return "" if str(row["id"]).strip() else "the id of the document is empty"


def _loaded(folder: Path) -> Iterator[Row]:
    from indexing.identity import natural_id  # noqa: PLC0415  # heavy import, only when used
    from indexing.loading.discover import discover  # noqa: PLC0415  # as above
    from indexing.loading.load import iterate_source  # noqa: PLC0415  # as above
    from indexing.loading.loaded import LoadFailure  # noqa: PLC0415  # as above
    from indexing.loading.settings import LoadingSettings  # noqa: PLC0415  # as above

    settings, roots = LoadingSettings(), [folder.resolve()]
    for source in discover([folder], settings).sources:
        for item in iterate_source(source, settings):
            if isinstance(item, LoadFailure):
                raise DatasetError(f"cannot read {item.uri} of the data set: {item.error}")
            yield {**item.metadata, "id": natural_id(item, source, roots), "title": item.title, "text": item.text}


def _json_rows(path: Path, *, required: Sequence[str], check: Check) -> list[Row]:
    lines = _text(path).split("\n")
    return [
        _checked(f"{path}, line {number}", _parsed(path, number, line), required, check)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise DatasetError(f"cannot read {path}: {reason}; {_FORM}") from None


def _parsed(path: Path, number: int, line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{path}, line {number}: not valid JSON ({error})") from None


def _yaml_rows(path: Path, *, required: Sequence[str], check: Check) -> list[Row]:
    import yaml  # noqa: PLC0415  # only when used

    class Plain(yaml.SafeLoader):
        """Refuses aliases: a few lines of aliases of aliases stand for more than any memory holds."""

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                event = self.peek_event()  # type: ignore[no-untyped-call]  # its stubs lack types
                problem = f"the alias *{event.anchor} is not read: write out what it stands for"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
            return super().compose_node(parent, index)

    try:
        content = yaml.load(_text(path), Loader=Plain)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise DatasetError(f"{path}: not valid YAML ({' '.join(str(error).split())})") from None
    if not isinstance(content, list):
        raise DatasetError(f"{path}: expected a list of questions, got {type(content).__name__}")
    return [
        _checked(f"{path}, question {number}", entry, required, check) for number, entry in enumerate(content, start=1)
    ]


def _checked(place: str, row: object, required: Sequence[str], check: Check) -> Row:
    if not isinstance(row, dict):
        raise DatasetError(f"{place}: expected an object, got {type(row).__name__}")
    if "gold" in row and not any(row.get(name) is not None for name in ("gold_ids", "gold_groups", "gold_grades")):
        row = {**row, "gold_ids": row["gold"]}
    missing = [key for key in required if not isinstance(row.get(key), str)]
    if missing:
        raise DatasetError(f"{place}: the field {missing[0]!r} must be there as a text")
    problem = check(row)
    if problem:
        raise DatasetError(f"{place}: {problem}")
    return row

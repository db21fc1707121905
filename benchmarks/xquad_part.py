"""The part of xquad that may be trained on: its English articles with numbers below 24."""

import json
from pathlib import Path

TRAINING_ARTICLES = 24


def training_part(folder: Path, part: Path) -> Path:
    """Write the English articles of xquad that may be trained on, and their questions, as a data set of their own."""
    part.mkdir()
    for name, key in (("corpus.jsonl", "id"), ("questions.jsonl", "gold_ids")):
        rows = [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines() if line]
        kept = [row for row in rows if row["lang"] == "en" and article(row[key]) < TRAINING_ARTICLES]
        (part / name).write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    return part


def article(name: str | list[str]) -> int:
    """Return the number of the article of a paragraph, such as ``en-07-3``."""
    return int((name if isinstance(name, str) else name[0]).split("-")[1])

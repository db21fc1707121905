"""Whether a text can be stored, sent and shown: half of a surrogate pair by itself stands for no character."""

from graph_store.errors import InvalidText


def is_valid_text(text: str) -> bool:
    """Tell whether a text is valid Unicode. Bytes of a command line that are no UTF-8 arrive as lone surrogates."""
    return text.isascii() or text.encode("utf-8", "replace").decode("utf-8") == text


def check_question(question: str) -> None:
    """Raise ``InvalidText`` for a question that is no valid Unicode."""
    if not is_valid_text(question):
        raise InvalidText(f"the question {question[:40]!r} is no valid Unicode: mend it and ask again")

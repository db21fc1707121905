"""Stable ids and the normal form of names."""

import hashlib
import re
import unicodedata

_WORD = re.compile(r"\w+", re.UNICODE)
_ARTICLES = frozenset({"the", "a", "an"})


def stable_id(prefix: str, *parts: str) -> str:
    """Return ``prefix`` plus 20 hexadecimal digits of the SHA-256 of ``parts``; parts are kept apart, so
    ("ab", "c") and ("a", "bc") differ.
    """
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8")
        digest.update(f"{len(encoded)}:".encode())
        digest.update(encoded)
    return f"{prefix}{digest.hexdigest()[:20]}"


def content_hash(text: str) -> str:
    """Return the SHA-256 of ``text`` in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def name_key(name: str) -> str:
    """Return the normal form of a name: NFKC, case folded, word characters only, no leading article.

    "The Müller-Lyer Company" -> "müller lyer company"; "U.S." -> "u s"; "AT&T" -> "at t"; empty where nothing is left.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", name).casefold())
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return " ".join(words)

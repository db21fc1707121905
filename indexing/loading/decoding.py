"""From bytes to text: byte order mark, then UTF-8, then what the file declares, then a guess from its bytes."""

import codecs
import re

from indexing.loading.errors import UnreadableSource

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Software writes the larger Windows sets under the names of the smaller standard ones, as the WHATWG encoding
# standard records.
_SUPERSETS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_GUESS_BYTES = 200_000
_EQUAL_CHAOS = 0.02
# The most widely used first.
_COMMON_SETS = (
    *("cp1252", "cp1250", "cp1251", "cp932", "shift_jis", "gb18030", "gb2312", "gbk", "euc_jp", "cp949", "euc_kr"),
    *("big5", "cp1254", "cp1253", "cp1255", "cp1256", "cp1257", "cp1258", "cp874", "koi8-r", "koi8-u", "iso8859-2"),
    *("iso8859-5", "iso8859-7", "iso8859-8", "iso8859-15", "euc_jis_2004", "cp866", "cp850", "mac-roman"),
)
_WITHIN_WORD = re.compile(rb"[a-z][\x80-\xff][a-z]")
_SINGLE_JAMO = re.compile(r"[\u3131-\u318e]")
_SYMBOL_WITHIN_WORD = re.compile(r"[a-z][\u00a1-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7][a-z]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decode(data: bytes, declared: str = "") -> str:
    """Return the text of ``data``; ``declared`` is the encoding that the file itself names, if it does.

    UTF-8 with a few damaged bytes stays UTF-8, each damaged byte becoming U+FFFD. Raises ``UnreadableSource`` where
    the bytes are no text.
    """
    text = _decode(data, declared)
    sample = text[:_GUESS_BYTES]
    if len(_CONTROLS.findall(sample)) * 50 > len(sample):
        raise UnreadableSource("It is not text but binary data, which is not supported.")
    return text


def _decode(data: bytes, declared: str) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if b"\0" in data:
        return _decode_wide(data)
    if b"\x1b$" in data[:_GUESS_BYTES]:
        return _decode_escaped(data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _damaged_utf8(data) or _as_declared(data, declared) or _guessed(data)


def _decode_wide(data: bytes) -> str:
    """Decode UTF-16 without a mark, known by zero bytes that are frequent in one half of each pair alone."""
    even, odd = data[0::2].count(0), data[1::2].count(0)
    half = len(data) // 2
    if len(data) % 2 == 0 and max(even, odd) * 4 > half and min(even, odd) * 50 < half:
        return data.decode("utf-16-le" if odd > even else "utf-16-be", errors="replace")
    raise UnreadableSource("It is not text but binary data, which is not supported.")


def _decode_escaped(data: bytes) -> str:
    """Decode ISO-2022-JP, whose bytes are all ASCII."""
    try:
        return data.decode("iso2022_jp_2")
    except UnicodeDecodeError:
        return data.decode("utf-8", errors="replace")


def _damaged_utf8(data: bytes) -> str:
    """Return UTF-8 with damaged bytes replaced, empty where more than one non-ASCII character in twenty is damaged."""
    text = data.decode("utf-8", errors="replace")
    beyond_ascii = len(text) - len(text.encode("ascii", errors="ignore"))
    return text if text.count("\ufffd") * 20 <= beyond_ascii else ""


def _as_declared(data: bytes, declared: str) -> str:
    try:
        name = codecs.lookup(declared.strip()).name
        return data.decode(_SUPERSETS.get(name, name))
    except (LookupError, UnicodeDecodeError, ValueError):
        return ""


def _guessed(data: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415  # heavy import, only when used

    sample = data[:_GUESS_BYTES]
    matches = list(from_bytes(sample))
    # The library orders sets that fit alike by name; the language decides, and then how widely a set is used.
    clean = [match for match in matches if match.chaos <= matches[0].chaos + _EQUAL_CHAOS]
    common = [match for match in clean if codecs.lookup(match.encoding).name in _COMMON_SETS]
    if not common or _is_latin(
        sample, [match.encoding for match in clean if match.coherence or match.multi_byte_usage]
    ):
        return data.decode("cp1252", errors="replace")
    best = min(common, key=lambda match: (_strange_share(str(match)), -match.coherence, _rarity(match.encoding)))
    encoding = codecs.lookup(best.encoding).name
    return data.decode(_SUPERSETS.get(encoding, encoding), errors="replace")


def _is_latin(sample: bytes, others: list[str]) -> bool:
    """Tell whether single non-ASCII bytes within ASCII words are letters, and nothing speaks for another set."""
    if others or not _WITHIN_WORD.search(sample):
        return False
    return _SYMBOL_WITHIN_WORD.search(sample.decode("cp1252", errors="replace")) is None


def _strange_share(text: str) -> float:
    """Return the share of single Korean letters and of symbols within words: only a wrong set yields many."""
    strange = len(_SINGLE_JAMO.findall(text)) + len(_SYMBOL_WITHIN_WORD.findall(text))
    return round(strange / max(1, len(text)), 2)


def _rarity(encoding: str) -> int:
    return _COMMON_SETS.index(codecs.lookup(encoding).name)

import pytest

from indexing.loading.decoding import decode
from indexing.loading.errors import UnreadableSource

# ruff: noqa: RUF001  # the letters are meant to be Cyrillic and Greek
FRENCH = "À la gare, l'élève français a reçu la leçon où l'on parle des êtres libres et égaux, à 15 € près."
POLISH = "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności; źródło, żółte łąki, święto."
RUSSIAN = "Все люди рождаются свободными и равными в своем достоинстве и правах."
GREEK = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα."
ARABIC = "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق وقد وهبوا عقلاً وضميراً."
JAPANESE = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"
KOREAN = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."
CHINESE = "人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心,並應以兄弟關係的精神對待。"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-8"])
@pytest.mark.parametrize("text", [FRENCH, RUSSIAN, JAPANESE, "plain"])
def test_unicode_with_its_mark_is_read(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_its_mark_is_known_by_its_zero_bytes(encoding: str) -> None:
    assert decode("A plain sentence.".encode(encoding)) == "A plain sentence."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "cp1252"),
        (POLISH, "cp1250"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (GREEK, "cp1253"),
        (ARABIC, "cp1256"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "iso2022_jp"),
        (KOREAN, "cp949"),
        (CHINESE, "big5"),
        ("Müller können", "cp1252"),
    ],
)
def test_a_legacy_encoding_is_guessed(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_a_declared_encoding_is_used_and_read_as_its_superset() -> None:
    assert decode("ą 5".encode("iso8859-2"), "iso-8859-2") == "ą 5"
    assert decode("5 € é".encode("cp1252"), "ISO-8859-1") == "5 € é"


def test_utf_8_wins_over_a_declaration_that_lies() -> None:
    assert decode(RUSSIAN.encode(), "iso-8859-1") == RUSSIAN


def test_an_unknown_declaration_is_passed_over() -> None:
    assert decode(RUSSIAN.encode("cp1251"), "no-such-set") == RUSSIAN


def test_one_damaged_byte_does_not_turn_utf_8_into_something_else() -> None:
    assert decode(RUSSIAN.encode() + b"\xff" + RUSSIAN.encode()) == f"{RUSSIAN}\ufffd{RUSSIAN}"


@pytest.mark.parametrize("data", [b"\x00\x01\x02\x03text", bytes(range(256)) * 4, b"\x01\x02\x03\x04\x05\x06text"])
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableSource, match="binary"):
        decode(data)


def test_nothing_is_empty_text() -> None:
    assert decode(b"") == ""

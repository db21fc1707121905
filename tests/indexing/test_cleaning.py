import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.cleaning import MAX_TITLE_CHARS, clean_line, clean_text, clean_title

# Characters that meet the rules: blanks, ends, joiners, marks, letters of joining scripts, controls, tags, halves.
TRICKY = (
    "ab\u00e9e\u0301 \t\n\r\v\f\u0085\u2028\u00a0"
    "\u200b\u200c\u200d\u00ad"
    "\ufeff\u202e\u0915\u094d\u0645\u06cc\ud800\U000e0041\ufe0f"
)


@given(st.text() | st.text(alphabet=TRICKY))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned


@given(st.text() | st.text(alphabet=TRICKY))
def test_cleaned_text_is_nfc_and_can_be_stored(text: str) -> None:
    cleaned = clean_text(text)
    assert unicodedata.is_normalized("NFC", cleaned)
    assert "\r" not in cleaned
    assert "\n\n\n\n" not in cleaned
    assert not any(line.endswith((" ", "\t")) for line in cleaned.split("\n"))
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned


@given(st.lists(st.text(alphabet=TRICKY), max_size=4))
def test_cleaned_pages_joined_by_a_blank_line_are_clean(pages: list[str]) -> None:
    joined = "\n\n".join(cleaned for page in pages if (cleaned := clean_text(page).strip()))
    assert clean_text(joined) == joined


def test_no_control_or_format_character_stays_but_those_with_a_shape() -> None:
    shaped = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
    removable = {"Cc", "Cf", "Cs"}
    left = {
        code
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in removable and clean_text(f"a{chr(code)}b") not in {"ab", "a\nb", "a\tb"}
    }
    assert left <= shaped


def test_every_kind_of_blank_becomes_the_plain_one() -> None:
    blanks = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Zs"]
    assert {clean_text(f"a{blank}b") for blank in blanks} == {"a b"}


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("caf\u0065\u0301", "caf\u00e9"),
        ("a\r\nb\rc\u2028d\fe", "a\nb\nc\nd\ne"),
        ("ig\u200bnore\u00ad this", "ignore this"),
        ("a\u202egnp.exe\u202c", "agnp.exe"),
        ("hi\U000e0049\U000e0067\U000e006e there", "hi there"),
        ("x\ufe0e\U000e0101y", "xy"),
        ("a  \t\nb", "a\nb"),
        ("a\n\n\n\n\n\nb", "a\n\n\nb"),
        ("\n \n  code", "  code"),
        ("1\u00a0000\u202fkm", "1 000 km"),
    ],
)
def test_what_is_not_seen_goes(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


@pytest.mark.parametrize(
    "word",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, a non-joiner between letters
        "\u0915\u094d\u200d\u0937",  # Devanagari, a joiner after the virama
        "\u0d28\u0d4d\u200d",  # Malayalam chillu, a joiner at the end of a word
    ],
)
def test_joiners_stay_where_a_script_spells_with_them(word: str) -> None:
    assert clean_text(word) == word


def test_joiners_between_latin_letters_go() -> None:
    assert clean_text("ig\u200dno\u200cre") == "ignore"


def test_a_title_is_one_line() -> None:
    assert clean_title("  A \n title\u200b ") == "A title"
    assert clean_line("a\tb\u00a0 c") == "a b c"


def test_a_long_title_is_cut_at_a_word_end() -> None:
    cut = clean_title("word " * 100)
    assert len(cut) <= MAX_TITLE_CHARS
    assert set(cut.split()) == {"word"}


def test_a_long_run_of_blanks_takes_no_long_time() -> None:
    assert clean_text(" " * 2_000_000 + "x").endswith("x")

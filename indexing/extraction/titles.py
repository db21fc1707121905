"""Which names a title or heading gives to what it stands over."""

import re
from dataclasses import dataclass

from graph_store.ids import name_key

MAX_TITLE_WORDS = 8

_BRACKETS = re.compile(r"\s*[(\[\uff08]([^()\[\]\uff08\uff09]*)[)\]\uff09]\s*")
_DATE = re.compile(
    r"\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?|\d{8}"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}"
    r"|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?\s+\d{4}",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?|[IVXLC]+\.|[A-Z][.)])\s+")
_LIST = re.compile(r"(?:^|\s)(?:and|&|or)\s")
_COUNTED = re.compile(
    r"^(?:chapter|section|part|page|table|figure|appendix|step|day|week|question|slide|sheet|article|item|act|scene)"
    r"\s+(?:\d+|[ivxlc]+|[a-z])\b",
    re.IGNORECASE,
)
_LITTLE_WORDS = "a an the of in on at for and or to de la le du von van der den da di del with from by vs und et y as &"
_LITTLE = frozenset(_LITTLE_WORDS.split())
_GENERIC_TITLES = (
    "abstract|acknowledgements|acknowledgments|appendix|awards|background|bibliography|biography|books|career|"
    "changelog|chronology|comparison|conclusion|conclusions|contact|contents|cost|costs|credits|criticism|"
    "description|design|development|discography|discussion|document|draft|early life|early years|education|"
    "etymology|example|examples|external links|facts|faq|features|filmography|footnotes|foreword|"
    "frequently asked questions|further reading|future|future work|gallery|general|geography|getting started|"
    "glossary|history|home|home page|honors|honours|how it works|impact|index|influence|installation|"
    "introduction|key facts|key figures|key points|later life|legacy|licence|license|life|limitations|links|"
    "literature|main page|main text|materials|members|methodology|methods|miscellaneous|motivation|name|notes|"
    "objectives|operation|operations|origin|origins|outline|outlook|overview|personal life|plot|preface|"
    "production|publications|purpose|questions|readme|reception|recommendations|references|related work|release|"
    "requirements|results|role|scope|see also|sources|specifications|structure|summary|synopsis|"
    "table of contents|technical details|terminology|themes|timeline|title|track listing|untitled|"
    "untitled document|usage|use cases|uses|works|works cited"
)
_GENERIC = frozenset(_GENERIC_TITLES.split("|"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleNames:
    """The names a title gives, longest first: "Paris, Texas (city)" -> that, "Paris, Texas", "Paris".

    ``name`` is the title without brackets, ``qualifier`` what the brackets said, ``after_comma`` the rest of ``name``
    after its first comma.
    """

    names: tuple[str, ...]
    name: str
    qualifier: str
    after_comma: str


def title_names(title: str) -> TitleNames | None:
    """Return the names that a document's title gives; None where it is empty, a date, or a sentence (over 8 words)."""
    whole = " ".join(title.split())
    bare = " ".join(_BRACKETS.sub(" ", whole).split()).rstrip(" .:")
    if len(whole.split()) > MAX_TITLE_WORDS or is_generic(bare) or is_date_like(whole):
        return None
    first, _, rest = (part.strip() for part in bare.partition(","))
    # What goes on with "and" is a list: "Crosby, Stills, Nash & Young" is not Crosby.
    short = first if rest and len(name_key(first)) > 1 and not _LIST.search(rest) else bare
    names = [name for name in (whole.rstrip(" .:"), bare, short) if name_key(name)]
    found = _BRACKETS.search(whole)
    return TitleNames(
        names=tuple(dict.fromkeys(names)),
        name=bare,
        qualifier=found[1].strip() if found else "",
        after_comma=rest if short != bare else "",
    )


def heading_name(heading: str) -> str | None:
    """Return the name that a heading may give, without its number; None where it is generic, a date or too long."""
    name = _NUMBERING.sub("", " ".join(heading.split())).strip(" .:#*")
    if len(name.split()) > MAX_TITLE_WORDS or is_generic(name) or is_date_like(name) or name.endswith("?"):
        return None
    return name


def is_capitalised(name: str) -> bool:
    """Tell whether a heading is written like a name.

    Two words or more have capitals on all but the little ones; one word has a digit or two capitals ("Hayabusa2").
    """
    words = [word for word in re.findall(r"[^\W_][\w'\u2019.&-]*", name) if word.lower() not in _LITTLE]
    if len(words) == 1:
        return len(words[0]) > 2 and sum(char.isupper() or char.isdigit() for char in words[0]) > 1
    return len(words) > 1 and all(not word[0].islower() for word in words)


def is_generic(name: str) -> bool:
    """Tell whether a title or heading says what kind of section follows instead of what it is about."""
    key = name_key(name)
    return len(key) < 2 or key in _GENERIC or key.replace(" ", "").isdigit() or _COUNTED.match(name) is not None


def is_date_like(title: str) -> bool:
    """Tell whether a title is a date or a time, alone or with a word or two ("Chat 2026-04-08")."""
    found = _DATE.search(title)
    if found is None:
        return False
    rest = title[: found.start()] + " " + title[found.end() :]
    return len(re.findall(r"[^\W\d_]{2,}", rest)) <= 2

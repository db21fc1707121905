"""Which quantity a word of comparison asks for, and what a passage says of that quantity of a thing."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graph_store.ids import name_key
from query.passages import CandidateSentence
from query.short_answers.sides import Side, bare_name, names_thing
from query.short_answers.values import Value
from query.table_rows import table_header, told_row
from raptor.text_words import content_stems

_SCALES = {"": 1.0, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_NUMBER = r"(\d+(?:,\d{3})*(?:\.\d+)?)(?:[\s-]*(million|billion|thousand)\b)?"
_AMOUNT = re.compile(rf"(?<![\w.,]){_NUMBER}[\s-]*((?:square )?[a-zA-Z]+²?|€|£|\$)")
_SIGNED = re.compile(rf"([£$€])\s?{_NUMBER}")
# Where a new statement on the same subject begins.
_CLAUSE = re.compile(r"[;,]\s|\s(?:and|but|while|whereas)\s")
_LEAD_IN = re.compile(r"^(?:In|At|On|With|Since|By|After|As|Today|Now)\b[^,]{0,60},\s*")
_PRONOUN = re.compile(r"^(?:it|he|she|they|this|these)\b", re.IGNORECASE)
_HAVING = re.compile(
    r"\b(?:has|have|had|employ\w*|with|count\w*|home to|compris\w*|contain\w*|population|work|live|study)\b", re.I
)
_PEOPLE = "people inhabitants residents"
# "works at" answers "employs".
_ALIKE = {stem: frozenset(content_stems("work employ employs")) for stem in content_stems("work employ employs")}
_AUXILIARY = frozenset(content_stems("has have had number larger higher smaller lower greater more most fewer less"))


def _units(table: str) -> dict[str, tuple[str, float]]:
    """Read "kilograms kg=1000": each name with the unit that it is compared in and its size in it."""
    found: dict[str, tuple[str, float]] = {}
    for entry in table.split("; "):
        names, size = entry.split("=")
        unit, factor = size.split("*")
        found |= {name.replace("_", " "): (unit, float(factor)) for name in names.split()}
    return found


_MASSES = _units(
    "kg kilogram kilograms kilogramme kilogrammes=g*1000; g gram grams=g*1; tonne tonnes=g*1e6; tons ton=ton*1"
    "; lb lbs pound pounds=lb*1; oz ounce ounces=lb*0.0625"
)
_LENGTHS = _units(
    "m metre metres meter meters=m*1; km kilometre kilometres kilometer kilometers=m*1000; cm centimetres centimeters"
    " centimetre centimeter=m*0.01; mm millimetres millimeters=m*0.001; ft foot feet=ft*1; inch inches=ft*0.0833333"
    "; mile miles=ft*5280"
)
_MONEY = _units(
    "£ pound pounds GBP gbp=pound*1; $ dollar dollars usd=dollar*1; € euro euros eur=euro*1; kronor kroner=krone*1"
    "; yen=yen*1; francs franc=franc*1"
)
_AREAS = _units(
    "hectare hectares ha=ha*1; km² square_km square_kilometres square_kilometers=ha*100; acre acres=acre*1"
    "; square_miles=acre*640"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """A quantity: the units it is told in, and the words that stand with it (``cue``), in the same statement unless
    things are counted.
    """

    units: Mapping[str, tuple[str, float]]
    cue: re.Pattern[str]
    is_count: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOrder:
    """The quantities that may be meant, whether the most of it is asked for, and the word for the one asked for."""

    dimensions: tuple[Dimension, ...]
    is_most: bool
    word: str


def _dimension(units: Mapping[str, tuple[str, float]], cue: str) -> Dimension:
    return Dimension(units=units, cue=re.compile(rf"\b(?:{cue})\b", re.IGNORECASE))


_MASS = _dimension(_MASSES, r"weigh\w*|heavy|mass|light")
_PRICE = _dimension(_MONEY, r"costs?|prices?|priced|sells?|sold|charges?|charged|fees?|retails?")
_HEIGHT = _dimension(_LENGTHS, r"tall|high|height|elevation|altitude|above sea level|rises")
_REACH = _dimension(_LENGTHS, r"long|length")
_DEPTH = _dimension(_LENGTHS, r"deep|depth")
_WIDTH = _dimension(_LENGTHS, r"wide|width|broad")
_AREA = _dimension(_AREAS, r"area|covers?|covering|large|spans?|size|hectares?|acres?")
_POPULATION = _dimension(
    {name: (_PEOPLE, 1.0) for name in _PEOPLE.split()}, r"population|inhabitants|residents|live|lived"
)

_ORDERS: tuple[tuple[re.Pattern[str], AskedOrder], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), AskedOrder(dimensions=dimensions, is_most=is_most, word=word))
    for words, dimensions, is_most, word in (
        (r"heavier|heaviest|weigh\w* (?:the )?(?:more|most)|(?:more|greater|higher) weight", (_MASS,), True, "heavier"),
        (r"lighter|lightest|weigh\w* (?:the )?(?:less|least)|(?:less|lower) weight", (_MASS,), False, "lighter"),
        (
            r"(?:more|most) (?:expensive|costly)|dearer|dearest|pricier|priciest|costs? (?:the )?(?:more|most)"
            r"|(?:higher|highest|greater) (?:price|cost)",
            (_PRICE,),
            True,
            "dearer",
        ),
        (
            r"(?:less|least) (?:expensive|costly)|cheaper|cheapest|costs? (?:the )?(?:less|least)"
            r"|(?:lower|lowest) (?:price|cost)",
            (_PRICE,),
            False,
            "cheaper",
        ),
        (r"taller|tallest|higher|highest", (_HEIGHT,), True, "higher"),
        (r"lower|lowest", (_HEIGHT,), False, "lower"),
        (r"longer|longest", (_REACH,), True, "longer"),
        (r"shorter|shortest", (_REACH, _HEIGHT), False, "shorter"),
        (r"deeper|deepest", (_DEPTH,), True, "deeper"),
        (r"wider|widest|broader", (_WIDTH,), True, "wider"),
        (r"narrower|narrowest", (_WIDTH,), False, "narrower"),
        (r"(?:more|most) (?:populous|populated)|(?:larger|largest|bigger) population", (_POPULATION,), True, "more"),
        (r"(?:less|least) (?:populous|populated)|(?:smaller|smallest) population", (_POPULATION,), False, "less"),
        (r"larger|largest|bigger|biggest", (_AREA, _POPULATION), True, "larger"),
        (r"smaller|smallest", (_AREA, _POPULATION), False, "smaller"),
    )
)
_COUNTED = re.compile(
    r"\b(?:(more|most)|(?:fewer|fewest|less|least)|(larger|largest|higher|highest|greater) number of"
    r"|(?:smaller|smallest|lower|lowest) number of) ([a-z]+)"
)
# "has the higher turnover": the word of comparison says nothing of the thing itself.
_HAS_MORE_OF = re.compile(r"\b(?:has|have|had|with) (?:an? |the )?[a-z]+(?:er|est) (?!than\b)[a-z]+", re.IGNORECASE)
_ASKED_THING = re.compile(r"\b(?:which|what) (?:of (?:the |these )?)?(?!has\b|have\b|had\b)([a-z]+)", re.IGNORECASE)


def asked_order(text: str) -> AskedOrder | None:
    """Return what quantity ``text``, a question without the two names, compares; None where no rule knows it."""
    for pattern, order in _ORDERS:
        match = pattern.search(text)
        if match is not None:
            is_bare = " " not in match.group()
            return (
                None
                if is_bare and _HAS_MORE_OF.search(text) and _COUNTED.search(text) is None
                else (_count_order(text) if is_bare and _COUNTED.search(text) else order)
            )
    return _count_order(text)


def _count_order(text: str) -> AskedOrder | None:
    """Return the order by a count of the noun that is asked for ("more students"), as the question's verb has it."""
    counted = _COUNTED.search(text)
    noun = content_stems(counted.group(3)) if counted is not None else []
    if counted is None or len(noun) != 1 or counted.group(3) == "than":
        return None
    thing = _ASKED_THING.search(text)
    ignored = {*noun, *_AUXILIARY, *(content_stems(thing.group(1)) if thing else ())}
    verbs = [stem for stem in content_stems(text) if stem not in ignored]
    alternatives = "|".join(rf"{re.escape(own)}\w*" for stem in verbs for own in sorted(_ALIKE.get(stem, {stem})))
    is_most = bool(counted.group(1) or counted.group(2))
    return AskedOrder(
        dimensions=(
            Dimension(
                units={noun[0]: (noun[0], 1.0)},
                cue=re.compile(rf"\b(?:{alternatives})", re.IGNORECASE) if verbs else _HAVING,
                is_count=True,
            ),
        ),
        is_most=is_most,
        word="more" if is_most else "less",
    )


def quantities_of(side: Side, rival: Side, dimension: Dimension) -> dict[str, list[Value]]:
    """Return what the sentences about a thing, and not about its rival, say of a quantity of it, by unit."""
    found: dict[str, list[Value]] = {}
    for sentence in side.sentences:
        if names_thing(sentence, rival.name, side.name):
            continue
        clauses = _clauses(sentence, side, dimension)
        counts = dimension.is_count and any(map(dimension.cue.search, clauses))
        for clause in [own for own in clauses if counts or _tells(own, dimension)]:
            for text, amount, unit in _amounts(clause, dimension):
                found.setdefault(unit, []).append(Value(text=text, key=(amount,), sentence=sentence))
    return found


def _tells(clause: str, dimension: Dimension) -> bool:
    """Tell whether a statement is on the quantity; a price in pounds is no weight."""
    is_priced_weight = dimension.units is _MASSES and _PRICE.cue.search(clause) is not None
    return dimension.cue.search(clause) is not None and not is_priced_weight


def _clauses(sentence: CandidateSentence, side: Side, dimension: Dimension) -> list[str]:
    """Return the statements of a sentence on the thing itself; none where it speaks of something else."""
    header = table_header(sentence.passage.chunk, sentence.sentence)
    if header:
        cells = told_row(sentence.text, header).split("; ")
        return cells if name_key(cells[0].rpartition(": ")[2]) == name_key(bare_name(side.name)) else []
    text = _LEAD_IN.sub("", sentence.text.strip())
    return _CLAUSE.split(text) if _has_subject(text, side, dimension) else []


def _has_subject(text: str, side: Side, dimension: Dimension) -> bool:
    if side.is_titled and (_PRONOUN.match(text) or _opens_with_quantity(text, dimension)):
        return True
    bare = bare_name(side.name)
    if re.match(rf"(?:the |an? )?{re.escape(bare)}\b", text, re.IGNORECASE):
        # "Kestrel S weighs" is not said of the Kestrel, nor "the Kestrel's battery".
        return re.match(rf"(?i:(?:the |an? )?{re.escape(bare)})(?:['\u2019]s\b|\s+[A-Z0-9])", text) is None
    return f" {name_key(bare)} " in f" {name_key(text)} " and _opens_with_quantity(text, dimension)


def _opens_with_quantity(text: str, dimension: Dimension) -> bool:
    """Tell whether a sentence opens with the quantity: "Its weight is", "The price of", "38 people work"."""
    opening = re.match(r"(?:The |Its |Their )(\w+)", text)
    if opening is not None:
        return dimension.cue.fullmatch(opening.group(1)) is not None
    return re.match(r"(?:About |Some |Around )?\d", text) is not None


def _amounts(clause: str, dimension: Dimension) -> Iterator[tuple[str, float, str]]:
    for match in _AMOUNT.finditer(clause):
        named = match.group(3).casefold()
        own = dimension.units.get(named) or dimension.units.get("".join(content_stems(named)))
        if own is not None:
            unit, factor = own
            yield match.group(), _number(match.group(1), match.group(2)) * factor, unit
    for match in _SIGNED.finditer(clause):
        if (own := dimension.units.get(match.group(1))) is not None:
            unit, factor = own
            yield match.group(), _number(match.group(2), match.group(3)) * factor, unit


def _number(digits: str, scale: str | None) -> float:
    return float(digits.replace(",", "")) * _SCALES[scale or ""]

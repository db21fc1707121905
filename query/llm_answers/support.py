"""Whether the passages that a sentence cites support it, and which of their sentences show that.

What a claim must have in common with its ground is :mod:`raptor.claims.comparison`; here are the passages that are
cited, their sentences that are chosen to be quoted, quotations, and what an answer must not tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from model_clients.chat.quotations import find_quote
from query.citations import Quote
from query.llm_answers.material import Material
from raptor.claims.bounds import turns_bound
from raptor.claims.comparison import Ground, Lack, lack
from raptor.claims.foreign_matter import has_foreign_links, repeats
from raptor.claims.joins import Passage
from raptor.claims.languages import differ, language_of
from raptor.claims.names import missing_names, names_in
from raptor.claims.negations import differ_in_denial
from raptor.claims.words import Words, is_held, missing_numbers, together, words_of
from raptor.text_words import tokens

Reason: TypeAlias = Lack | Literal["no citation", "unknown citation", "quotation", "language", "instructions", "length"]
"""Why a sentence is not believed: what of it the passages do not have, or what of it must not be told."""

NEVER_TOLD: frozenset[Reason] = frozenset({"link", "instructions", "length"})
"""Sentences that are not told even where unsupported ones are flagged."""

LONGEST_SENTENCE = 700
_MOST_QUOTES = 3
# A further sentence is cited where it has this much more of the claim's words.
_LEAST_GAIN = 0.15
# As many with those that are cited for a name or a number alone.
_MOST_CITED = 6
_SHORTEST_QUOTE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence as the model put it: its text, the numbers of what it cites, and words that it quotes."""

    text: str
    numbers: tuple[int, ...]
    quotations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What claims are checked against beside their passages: the question, and the instructions of the prompt."""

    question: str
    instructions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The verbatim sentences that best support a claim, best first; or why it is not believed."""

    quotes: tuple[Quote, ...] = ()
    reason: Reason | None = None


def judge(claim: Claim, materials: Sequence[Material], asked: Asked, *, least_words: float) -> Support:
    """Return the support of a claim among numbered ``materials``."""
    cited = [item for item in materials if item.number in claim.numbers]
    ground = "\n".join(item.source_text for item in cited)
    reason = _forbidden(claim, ground, asked)
    if reason is not None:
        return Support(reason=reason)
    if not cited:
        return Support(reason="unknown citation" if claim.numbers else "no citation")
    quoted = [_quoted(words, cited) for words in claim.quotations if words.strip()]
    if not all(quoted):
        return Support(reason="quotation")
    if differ(language_of(claim.text), language_of(asked.question)):
        return Support(reason="language")
    chosen = _choose_quotes(words_of(claim.text), cited, [quote for found in quoted for quote in found])
    is_foreign = _is_foreign(claim, cited)
    reason = _cite_numbers(claim, cited, chosen)
    if reason is None:
        reason = (
            _lacking_in_translation(claim, cited, chosen)
            if is_foreign
            else _cite_names(claim, cited, chosen) or lack(claim.text, _shown(cited, chosen), least_words=least_words)
        )
    return Support(reason=reason) if reason is not None else Support(quotes=tuple(chosen))


def _forbidden(claim: Claim, ground: str, asked: Asked) -> Reason | None:
    if len(claim.text) > LONGEST_SENTENCE:
        return "length"
    if has_foreign_links(claim.text, ground):
        return "link"
    return "instructions" if repeats(claim.text, asked.instructions, ground) else None


def _lacking_in_translation(claim: Claim, cited: Sequence[Material], chosen: Sequence[Quote]) -> Reason | None:
    """Return what a claim lacks whose words cannot be compared: a passage must be quoted, half of the names be held,
    no bound be turned round, and it denies where the sentences that it quotes do.
    """
    held = together(item.words for item in cited)
    has_names = 2 * len(missing_names(claim.text, held)) <= len(names_in(claim.text))
    if not has_names or not _is_long_quotation(claim.quotations):
        return "words"
    sentences = [quote.text for quote in chosen]
    if turns_bound(claim.text, sentences):
        return "numbers"
    denial_differs = differ_in_denial(
        claim.text,
        quoted=claim.quotations,
        sentences=sentences,
        language=language_of(claim.text),
    )
    return "negation" if denial_differs else None


def _shown(cited: Sequence[Material], chosen: Sequence[Quote]) -> Ground:
    """Return what is shown of the cited passages: the chosen sentences, under their headings."""
    return Ground(
        sentences=tuple(quote.text for quote in chosen),
        around="\n".join(map(_above, cited)),
        passages=tuple(
            Passage(sentences=tuple(quote.text for quote in item.quotes), above=_above(item)) for item in cited
        ),
    )


def _above(item: Material) -> str:
    return f"{item.heading}\n{item.checked}"


def _is_foreign(claim: Claim, cited: Sequence[Material]) -> bool:
    language = language_of(claim.text)
    texts = ["\n".join([item.checked, *(quote.text for quote in item.quotes)]) for item in cited]
    return all(differ(language, language_of(text)) for text in texts)


def _is_long_quotation(quotations: Sequence[str]) -> bool:
    return any(len(tokens(words)) >= _SHORTEST_QUOTE for words in quotations)


def _quoted(words: str, cited: Sequence[Material]) -> list[Quote]:
    """Return the sentences that have the quoted words, two where no one has them all; none where nobody says so."""
    for item in cited:
        for quote in item.quotes:
            if find_quote(quote.text, words) is not None:
                return [quote]
    for item in cited:
        for one, other in zip(item.quotes, item.quotes[1:], strict=False):
            if find_quote(f"{one.text} {other.text}", words) is not None:
                return [one, other]
    return []


def _choose_quotes(said: Words, cited: Sequence[Material], quoted: Sequence[Quote]) -> list[Quote]:
    """Choose the sentences to cite: those that are quoted, then each that adds most of the claim's words."""
    chosen = list(dict.fromkeys(quoted))[:_MOST_QUOTES]
    left = [quote for item in cited for quote in item.quotes if quote not in chosen]
    known = [words_of(quote.text) for quote in chosen]
    while left and len(chosen) < _MOST_QUOTES:
        before = _share(said, known)
        gains = [_share(said, [*known, words_of(quote.text)]) - before for quote in left]
        best = max(range(len(left)), key=gains.__getitem__)
        if chosen and gains[best] < _LEAST_GAIN:
            break
        known.append(words_of(left[best].text))
        chosen.append(left.pop(best))
    return chosen


def _cite_numbers(claim: Claim, cited: Sequence[Material], chosen: list[Quote]) -> Reason | None:
    said = words_of(claim.text)
    numbers = [
        Words(
            tokens=frozenset(),
            stems=frozenset(),
            numbers=(number,),
            units=frozenset(unit for unit in said.units if unit[0] in number),
        )
        for number in said.numbers
    ]
    return None if _cite(numbers, cited, chosen) else "numbers"


def _cite_names(claim: Claim, cited: Sequence[Material], chosen: list[Quote]) -> Reason | None:
    names = [Words(tokens=frozenset({name}), stems=frozenset(), numbers=()) for name in names_in(claim.text)]
    return None if _cite(names, cited, chosen) else "names"


def _cite(wanted: Sequence[Words], cited: Sequence[Material], chosen: list[Quote]) -> bool:
    """Add to ``chosen`` what has the names or numbers that it lacks; tell whether all are in a sentence that is cited.

    A name or number of a heading counts where a sentence below it is cited.
    """
    for words in wanted:
        if _is_shown(words, cited, chosen):
            continue
        carrier = _carrier(words, cited)
        if carrier is None or (carrier not in chosen and len(chosen) >= _MOST_CITED):
            return False
        if carrier not in chosen:
            chosen.append(carrier)
    return True


def _is_shown(wanted: Words, cited: Sequence[Material], chosen: Sequence[Quote]) -> bool:
    headings = [item.heading for item in cited if not set(chosen).isdisjoint(item.quotes)]
    return any(_has(wanted, text) for text in [*(quote.text for quote in chosen), *headings])


def _carrier(wanted: Words, cited: Sequence[Material]) -> Quote | None:
    """Return the first sentence that has a name or number, else one of what has it in its heading or was checked."""
    for item in cited:
        for quote in item.quotes:
            if _has(wanted, quote.text):
                return quote
    return next((item.quotes[0] for item in cited if item.quotes and _has(wanted, item.source_text)), None)


def _has(wanted: Words, text: str) -> bool:
    held = words_of(text)
    return not missing_numbers(wanted, held) and all(is_held(token, held) for token in wanted.tokens)


def _share(said: Words, known: Sequence[Words]) -> float:
    """Return how much of the claim is known: the share of its words and of its numbers, each counting alike."""
    if not known:
        return 0.0
    ground = together(known)
    held = sum(is_held(word, ground) for word in said.stems)
    numbers = sum(not number.isdisjoint(ground.readings) for number in said.numbers)
    return (held + numbers) / max(1, len(said.stems) + len(said.numbers))

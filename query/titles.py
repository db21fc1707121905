"""Which document a question names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from graph_store.ids import name_key
from graph_store.records import Document
from query.question import Question
from raptor.text_words import content_stems, unique

_FILE_NAME = re.compile(r"\S*\w\.\w{1,8}")
_AROUND_WORDS = "\"'`\u201c\u201d\u2018\u2019()[]<>,;:!?."


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDocument:
    """A document that a question names; ``share`` is the part of its title, by rarity of the words, in the question."""

    document: Document
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _TitleMatch:
    document: Document
    key: str
    held: float
    share: float
    stands_whole: bool


class TitleIndex:
    """Titles of documents by their words. Making it is one pass over the titles, asking one over the matching ones."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._stems = [unique(content_stems(document.title)) for document in documents]
        self._by_file = {
            document.id.casefold(): document for document in documents if _FILE_NAME.fullmatch(document.id)
        }
        self._holders: dict[str, list[int]] = {}
        for position, stems in enumerate(self._stems):
            for word_stem in stems:
                self._holders.setdefault(word_stem, []).append(position)

    def named_by(
        self, question: Question, *, least_share: float, allowed: frozenset[str] | None = None
    ) -> NamedDocument | None:
        """Return the document whose title the question holds best, of the ids allowed (None: of all), or None.

        One named by its file ("notes/company.md") is meant. Else a title standing whole in the question wins; where two
        different titles do, the question is about both, and about neither document alone. Else the title with most
        matched rarity wins, of those of which at least ``least_share`` is matched; ties by id.
        """
        asked = f" {name_key(question.searched)} "
        by_file = self._named_by_file(question)
        if by_file is not None and (allowed is None or by_file.id in allowed):
            return NamedDocument(document=by_file, share=1.0)
        matches = [
            self._match(position, question, asked)
            for position in self._candidates(question)
            if allowed is None or self._documents[position].id in allowed
        ]
        whole = _longest([match for match in matches if match.stands_whole])
        if len(whole) > 1:
            return None
        likely = whole or [match for match in matches if match.share >= least_share]
        if not likely:
            return None
        best = min(likely, key=lambda match: (-match.held, -match.share, match.document.id))
        return NamedDocument(document=best.document, share=best.share)

    def coverage(self, shares: Mapping[str, float]) -> dict[str, float]:
        """Return document id -> the sum of the shares of the stems that its title has, for titles that have any."""
        covered: dict[str, float] = {}
        for word_stem, share in shares.items():
            for position in self._holders.get(word_stem, ()):
                document_id = self._documents[position].id
                covered[document_id] = covered.get(document_id, 0.0) + share
        return covered

    def _named_by_file(self, question: Question) -> Document | None:
        """Return the document whose id, a file name, is written out in the question; the longest such id counts."""
        words = (word.strip(_AROUND_WORDS).casefold() for word in question.searched.split())
        found = [self._by_file[word] for word in words if word in self._by_file]
        return max(found, key=lambda document: len(document.id), default=None)

    def _candidates(self, question: Question) -> list[int]:
        return sorted({position for word_stem in question.stems for position in self._holders.get(word_stem, ())})

    def _match(self, position: int, question: Question, asked: str) -> "_TitleMatch":
        document = self._documents[position]
        rarity = {word_stem: self._rarity(word_stem) for word_stem in self._stems[position]}
        held = sum(weight for word_stem, weight in rarity.items() if word_stem in question.stems)
        key = name_key(document.title)
        stands_whole = f" {key} " in asked
        share = 1.0 if stands_whole else held / sum(rarity.values())
        return _TitleMatch(document=document, key=key, held=held, share=share, stands_whole=stands_whole)

    def _rarity(self, word_stem: str) -> float:
        return log(1.0 + len(self._documents) / len(self._holders[word_stem]))


def _longest(matches: Sequence[_TitleMatch]) -> list[_TitleMatch]:
    """Return the matches whose title is not part of another's: "Pioneer" is not meant where "Pioneer 10" stands."""
    keys = {match.key for match in matches}
    kept: dict[str, _TitleMatch] = {}
    for match in matches:
        if not any(match.key != key and f" {match.key} " in f" {key} " for key in keys):
            kept.setdefault(match.key, match)
    return list(kept.values())

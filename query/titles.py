"""Which document a question names."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from graph_store.ids import name_key
from graph_store.records import Document
from query.question import Question
from query.text_words import content_stems, unique


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDocument:
    """A document that a question names; ``share`` is the part of its title, by rarity of the words, in the question."""

    document: Document
    share: float


class TitleIndex:
    """Titles of documents by their words. Making it is one pass over the titles, asking one over the matching ones."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._stems = [unique(content_stems(document.title)) for document in documents]
        self._holders: dict[str, list[int]] = {}
        for position, stems in enumerate(self._stems):
            for word_stem in stems:
                self._holders.setdefault(word_stem, []).append(position)

    def named_by(self, question: Question, *, least_share: float) -> NamedDocument | None:
        """Return the document whose title the question holds best, or None.

        A title quoted or standing whole in the question wins; else the title with the largest rarity of matching words
        among those of which at least ``least_share`` is matched; ties by id.
        """
        matched: Counter[int] = Counter()
        for word_stem in question.stems:
            for position in self._holders.get(word_stem, ()):
                matched[position] += 1
        asked = f" {name_key(question.searched)} "
        best: tuple[float, float, str, NamedDocument] | None = None
        for position in matched:
            candidate = self._candidate(position, question, asked)
            if candidate[1] >= least_share and (best is None or candidate[:3] > best[:3]):
                best = candidate
        return best[3] if best is not None else None

    def _candidate(self, position: int, question: Question, asked: str) -> tuple[float, float, str, NamedDocument]:
        document, stems = self._documents[position], self._stems[position]
        rarity = {word_stem: self._rarity(word_stem) for word_stem in stems}
        held = sum(weight for word_stem, weight in rarity.items() if word_stem in question.stems)
        stands_whole = f" {name_key(document.title)} " in asked
        share = 1.0 if stands_whole else held / sum(rarity.values())
        return (held + stands_whole, share, document.id, NamedDocument(document=document, share=share))

    def _rarity(self, word_stem: str) -> float:
        return log(1.0 + len(self._documents) / len(self._holders[word_stem]))

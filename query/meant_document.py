"""Which document is meant where a question speaks of one but gives no title: the piece on the herring trade."""

import re
from collections import defaultdict
from dataclasses import dataclass, field

from graph_store.records import Document
from graph_store.store import GraphStore
from query.global_finding import search_kinds
from query.readable_view import ReadableView
from query.request import Request
from query.theme_words import DOCUMENT_WORDS, names_one_document, topic_stems
from raptor.text_words import content_stems, unique

_SUBJECT = re.compile(
    rf"\b(?:{DOCUMENT_WORDS})\s+(?:on|about|of|for|concerning|regarding|describing|covering)\s+([^.?!,;]+)",
    re.IGNORECASE,
)
_DOCUMENT_STEMS = frozenset(content_stems(DOCUMENT_WORDS.replace("|", " ")))
_SEARCHED = 30
_BODY_WEIGHT = 0.5
# A document is meant that is this much ahead; documents less far behind it may be meant.
_CLEARLY_AHEAD = 0.25
_MOST_IN_DOUBT = 4
# Least share of the subject's words in the title, or least cosine of the text.
_LEAST_TITLE = 0.3
_LEAST_COSINE = 0.45


@dataclass(slots=True)
class _Fit:
    title: float = 0.0
    cosine: float = 0.0
    stems: set[str] = field(default_factory=set)


def meant_documents(store: GraphStore, request: Request, view: ReadableView) -> tuple[Document, ...]:
    """Return the one document that fits what the question says of it, or all between which it leaves a doubt.

    Empty where the question does not speak of one document, or none fits. A document fits by the words of the question
    in its title and in its text, and by its cosine.
    """
    subject = _subject_stems(request)
    if not subject or not names_one_document(request.question):
        return ()
    shares = view.rarity.shares(subject)
    fits = _read_fits(store, request)
    # In a title a word counts whatever its rarity: the one document on herring may be why herring is common.
    for document_id, share in view.titles.coverage(dict.fromkeys(subject, 1.0 / len(subject))).items():
        fits[document_id].title = share
    total = {
        document_id: fit.title
        + fit.cosine
        + _BODY_WEIGHT * sum(share for word_stem, share in shares.items() if word_stem in fit.stems)
        for document_id, fit in fits.items()
        if fit.title >= _LEAST_TITLE or fit.cosine >= _LEAST_COSINE
    }
    allowed = store.filtered_documents(request.access, request.filters)
    ranked = sorted(
        (item for item in total if allowed is None or item in allowed), key=lambda item: (-total[item], item)
    )
    likely = [item for item in ranked if total[item] > total[ranked[0]] - _CLEARLY_AHEAD]
    return _read_documents(store, request, likely) if len(likely) <= _MOST_IN_DOUBT else ()


def _subject_stems(request: Request) -> tuple[str, ...]:
    found = _SUBJECT.search(request.question.searched)
    stems = unique(content_stems(found.group(1))) if found else topic_stems(request.question)
    return tuple(word_stem for word_stem in stems if word_stem not in _DOCUMENT_STEMS)


def _read_fits(store: GraphStore, request: Request) -> defaultdict[str, _Fit]:
    fits: defaultdict[str, _Fit] = defaultdict(_Fit)

    def add(document_id: str, cosine: float, text: str) -> None:
        fits[document_id].cosine = max(fits[document_id].cosine, cosine)
        fits[document_id].stems.update(content_stems(text))

    leaves, nodes = search_kinds(store, request, {"chunk": _SEARCHED, "tree_node": _SEARCHED})
    for chunk in store.chunks(request.access, [hit.id for hit in leaves.fused]):
        add(chunk.document_id, leaves.dense.get(chunk.id, 0.0), chunk.text)
    for node in store.tree_nodes(request.access, ids=[hit.id for hit in nodes.fused]):
        if node.document_id is not None:
            add(node.document_id, nodes.dense.get(node.id, 0.0), " ".join(sentence.text for sentence in node.summary))
    return fits


def _read_documents(store: GraphStore, request: Request, ids: list[str]) -> tuple[Document, ...]:
    documents = {document.id: document for document in store.documents(request.access, ids)}
    return tuple(documents[item] for item in ids if item in documents)

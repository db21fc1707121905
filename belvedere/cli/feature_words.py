"""What the names in explanations mean, in plain words: ``python -m belvedere.cli.feature_words > docs/signals.md``."""

import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType

_STANDARD = "z_"
"""Begins the name of a feature that is standardised among the passages that were weighed."""
_IS_STANDARD = "; in standard deviations above the mean of the passages weighed"

SIGNALS: Mapping[str, str] = MappingProxyType(
    {
        "bm25": "how well the words of the question match the words of the text (BM25); higher is better",
        "bm25_rank": "place in the list of the keyword search",
        "dense": "nearness in meaning to the question (cosine of the vectors, 1 is the nearest)",
        "dense_rank": "place in the list of the vector search",
        "ppr": "how much of the walk over the passage graph ends here, as a share of the passage with most",
        "ppr_rank": "place by that share",
        "chain": "log odds that the passage is part of the answer, by the chains that lead to it; above 0 is likely",
        "chain_trust": "how far chains count for this question beside the plain searches, 0 to 1",
        "identifier": "1 where the passage has a rare identifier of the question, which puts it first",
        "cross_encoder": "what the reranker says of the passage, by its own measure; higher is better",
        "cross_encoder_rank": "place by that",
        "cross_encoder_weight": "how far the reranker counts beside the ranking before, 0 to 1",
        "level": "level of the summary or report; 0 is the finest",
        "chunks": "number of passages that the text rests on",
    }
)
"""Signals of ``search --explain``."""

PASSAGES: Mapping[str, str] = MappingProxyType(
    {
        "dense": "nearness in meaning to the question, against a sample of the collection",
        "bm25": "how well the passage's words match the question's (BM25), as a share of the best passage",
        "dense_place": "place in the vector search: 1 for the first, 1/2 for the second and so on",
        "bm25_place": "place in the keyword search: 1 for the first, 1/2 for the second and so on",
        "walk_mass": "how much of the walk over the passage graph ends here, as a share of the best passage",
        "walk_log": "the logarithm of that share",
        "walk_place": "place by that share: 1 for the first, 1/2 for the second and so on",
        "covered": "how much of the question's words the passage covers by meaning, rare words counting more",
        "words_held": "how many words of the question the passage has literally, rare words counting more",
        "names_held": "how many words of names in the question the passage has literally",
        "other_words_held": "how many words of the question that are no names the passage has literally",
        "names_in_title": "how many words of names in the question stand in title and headings",
        "words_in_title": "how many words of the question stand in title and headings",
        "title_asked": "how many words of title and headings stand in the question",
        "sentence_nearest": "nearness in meaning of the passage's nearest sentence to the question",
        "sentence_covers": "how much of the question the one sentence covers that covers most",
        "lead_nearest": "nearness in meaning of the passage's first sentence to the question",
        "two_best_words": "how well the two words of the question are covered that are covered best",
        "asked_home": "1 where the question names what the passage is about",
        "same_document_above": "how many passages of the same document the walk ranks higher, at most 2",
        "hop": "nearness to the question read on from a leading passage",
        "hop_by_sentence": "nearness to the question read on from the best sentence of a leading passage",
        "hop_by_link": "nearness to the question read on from a leading passage that a name joins to this one",
        "named_by_anchor": "how far a trusted leading passage names what this passage is about",
        "names_anchor": "how far this passage names what a trusted leading passage is about",
        "score": "log odds after the round before",
        "score_place": "place after the round before: 1 for the first, 1/2 for the second and so on",
        "score_behind": "how far it is behind the best after the round before",
        "score_same_above": "how many passages of the same document the round before ranks higher, at most 2",
        "new_1": "how much of the question it covers that the best passage does not",
        "new_words_1": "how many words of the question it has that the best passage has not",
        "new_2": "how much of the question it covers that the two best passages do not",
        "new_words_2": "how many words of the question it has that the two best passages have not",
        "new_4": "how much of the question it covers that the four best passages do not",
        "new_words_4": "how many words of the question it has that the four best passages have not",
        "trust_sum": "how far all leading passages that link to it are trusted, together",
        "trust_best": "how far the most trusted leading passage that links to it is trusted",
        "top_covered": "how much of the question the five best passages cover together",
        "link_best": "log odds of the best link that leads to it",
        "link_second": "log odds of the second best link that leads to it",
        "link_trust": "how far the passage is trusted from which its best link comes",
        "link_as_anchor": "log odds of the best link that leads on from it",
        "link_behind": "how far the best link to it is behind the best of all",
        "link_anchor_behind": "how far the best link from it is behind the best of all",
    }
)
"""Features of passages in ``ranker explain``; those that begin with ``z_`` are these, standardised."""

GATE: Mapping[str, str] = MappingProxyType(
    {
        "best_score": "how likely the best passage of the chains is",
        "lead": "how far the first passage of the chains is ahead of the second",
        "dense_best": "how near in meaning the nearest passage is to the question",
        "search_lead": "how far the first passage of the searches is ahead of the second",
        "words_asked": "how many words the question has",
        "names_asked": "how many words of names the question has",
        "names_share": "which share of the question's words are words of names",
        "search_holds": "how many words of the question the searches' first passage has literally",
        "search_covers": "how much of the question the searches' first passage covers by meaning",
        "chain_holds_more": "how many more words of the question the chains' five best have than that passage",
        "chain_covers_more": "how much more of the question the chains' three best cover together than one of them",
        "linked": "1 where the chains' three best passages lead to each other",
        "link_gain": "how much of the question one of these explains that the one leading to it does not",
        "link_best": "log odds of the best link of all",
        "distinct": "which share of the chains' five best are of different documents",
        "departs": "how far down the searches had ranked the chains' three best",
    }
)
"""Features of the gate, in the last line of ``ranker explain``."""

_PAGE = """# What the names in explanations mean

Written by `python -m belvedere.cli.feature_words`. The commands print the lines they need below what they explain."""


def passage_words(name: str) -> str:
    """Return what a feature of a passage means; its own name where it is none of ours."""
    plain = name.removeprefix(_STANDARD)
    words = PASSAGES.get(plain, plain)
    return f"{words}{_IS_STANDARD}" if plain != name else words


def legend(names: Iterable[str], words: Mapping[str, str]) -> list[str]:
    """Return a line for each of the names, in order, each once."""
    return [f"{name}: {words[name]}" for name in dict.fromkeys(names) if name in words]


def page() -> str:
    """Return all of it as one Markdown page."""
    sections = (
        ("Signals of a result (`belvedere search --explain`)", "", SIGNALS),
        (
            "What spoke for a passage (`belvedere ranker explain`)",
            "The figures are what each feature adds to the log odds of the passage (above 0: it speaks for it). A name "
            f"with `{_STANDARD}` before it is the same{_IS_STANDARD}. A leading passage is one of the eight from which "
            "links to others are followed.",
            PASSAGES,
        ),
        (
            "What spoke for chains (last line of `belvedere ranker explain`)",
            "The figures are what each feature adds to the log odds that chains are to be trusted.",
            GATE,
        ),
    )
    return "\n\n".join([_PAGE, *(_section(*section) for section in sections)]) + "\n"


def _section(title: str, about: str, words: Mapping[str, str]) -> str:
    rows = "\n".join(f"| `{name}` | {told} |" for name, told in words.items())
    return "\n\n".join(filter(None, [f"## {title}", about, f"| name | means |\n|---|---|\n{rows}"]))


if __name__ == "__main__":
    sys.stdout.write(page())

"""By what each figure about answers was judged: a language model, labels, or words and vectors in common."""

from collections.abc import Mapping

from belvedere.evaluation.judging.judge import JUDGED
from belvedere.evaluation.system_scores import SystemScores

ANSWERS_BY = "words in common with the references, as SQuAD counts them"
CITATIONS_BY = "gold documents"
SAFETY_BY = "texts that the answer must and must not contain"
ABSTENTION_BY = "whether the question has gold documents"


def judged_by(systems: Mapping[str, SystemScores]) -> dict[str, str]:
    """Return for each part of a report, and for each measure that was judged or computed, by what it was."""
    told = {"answers": ANSWERS_BY, "citations": CITATIONS_BY, "safety": SAFETY_BY, "abstention": ABSTENTION_BY}
    for scores in systems.values():
        if scores.computed is not None:
            told |= scores.computed.by
        if scores.judged is not None:
            told |= {name: scores.judged.judged_by(name) for name in JUDGED}
    return told

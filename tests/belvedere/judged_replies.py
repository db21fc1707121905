"""Replies to a question, and a scripted judge of them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.judging.judge import JudgedReplies, judge_replies
from belvedere.evaluation.systems import Reply
from belvedere.settings import Settings
from graph_store.access import Access
from model_clients.chat.messages import ChatRequest
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import TaskModel
from model_clients.settings import EmbedderSettings
from query.outcome import Citation, Evidence

PASSAGES = ("The lamp burnt oil until 1923.", "Anna Lind built the lighthouse in 1871.")
SETTINGS = Settings(embedder=EmbedderSettings(model="hashing:64"))


def evidence(number: int, text: str) -> Evidence:
    return Evidence(chunk_id=f"c{number}", document_id=f"d{number}", title="T", cosine=0.5, weak=False, text=text)


def citation(number: int, quote: str, *, chunk: str = "c1", document: str = "d1") -> Citation:
    return Citation(
        number=number,
        chunk_id=chunk,
        document_id=document,
        title="T",
        source_uri="",
        heading_path=(),
        page=None,
        quote=quote,
        char_start=0,
        char_end=len(quote),
    )


def reply(text: str, *, abstained: bool = False) -> Reply:
    return Reply(
        text=text,
        abstained=abstained,
        support=0.5,
        weighed=frozenset({"d0", "d1"}),
        cited=frozenset() if abstained else frozenset({"d1"}),
        evidence=tuple(evidence(number, passage) for number, passage in enumerate(PASSAGES)),
        citations=() if abstained else (citation(1, PASSAGES[1]),),
        made_by="llm:writer",
    )


ANSWER = reply("Anna Lind built the lighthouse in 1871. [1] It is red.")
SILENT = reply("Not found in the documents.", abstained=True)
QUESTION = LabelledQuestion(
    id="q", text="Who built it?", type="who", gold=(frozenset({"d1"}),), references=("Anna Lind",)
)
UNANSWERABLE = replace(QUESTION, id="u", type="none", gold=(), references=())
RULES_ALONE = replace(UNANSWERABLE, id="s", gold_known=False)

GOOD: Mapping[str, Mapping[str, Any]] = {
    "judge-claims": {
        "claims": [
            {"sentence": 1, "claim": "Anna Lind built the lighthouse.", "supported": True, "passages": [2]},
            {"sentence": 1, "claim": "It was built in 1871.", "supported": True, "passages": [2]},
            {"sentence": 2, "claim": "The lighthouse is red.", "supported": False, "passages": []},
        ],
        "without_claim": [],
    },
    "judge-reference": {
        "claims": [{"sentence": 1, "claim": "Anna Lind built it.", "supported": True, "passages": [2]}],
        "without_claim": [],
    },
    "judge-passages": {"passages": [{"passage": 1, "useful": False}, {"passage": 2, "useful": True}]},
    "judge-relevance": {"degree": "fully", "sentences": [1]},
    "judge-correctness": {"degree": "partly", "sentences": [1]},
}


def judge(
    script: Callable[[str], Mapping[str, Any]] | None = None, *, name: str = "judge"
) -> tuple[TaskModel, ScriptedChatModel]:
    """Return a judge that replies as ``GOOD`` says, or as ``script`` does for the name of a prompt."""

    def written(request: ChatRequest) -> str:
        prompt = request.prompt.partition("/")[0]
        return json.dumps(script(prompt) if script is not None else GOOD[prompt])

    model = ScriptedChatModel(script=written, model_id=name)
    return TaskModel(model), model


def judged(given: Reply, question: LabelledQuestion = QUESTION, **changed: Mapping[str, Any]) -> JudgedReplies:
    """Judge one reply; ``changed`` are other replies of the judge than ``GOOD``, by the end of their prompt's name."""
    script = {**GOOD, **{f"judge-{name}": found for name, found in changed.items()}}
    return judge_replies(judge(script.__getitem__)[0], [question], [given], Access())


def claim(sentence: int, text: str, passages: list[int], *, supported: bool = True) -> Mapping[str, Any]:
    return {"sentence": sentence, "claim": text, "supported": supported, "passages": passages}

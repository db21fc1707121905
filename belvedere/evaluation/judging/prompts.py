"""What the judge is told, with a version in each name: a changed prompt judges otherwise, so its name changes too."""

from collections.abc import Sequence
from dataclasses import dataclass

from model_clients.chat.marked_data import MarkedItem, mark_data
from model_clients.chat.messages import CallScope, ChatRequest, Message

_ROLE = (
    "You check the work of a system that answers questions from documents. You judge only what you are asked to judge."
)

CLAIMS = "judge-claims/1"
REFERENCE = "judge-reference/1"
PASSAGES = "judge-passages/1"
RELEVANCE = "judge-relevance/1"
CORRECTNESS = "judge-correctness/1"

_CLAIM_RULES = """\
Take {what} sentence by sentence. Break each sentence into the single claims it makes; write each so that it can be
understood alone, with names in the place of pronouns, and give the number of its sentence. A sentence that claims
nothing goes into without_claim by its number, so that every sentence is accounted for. For each claim say whether the
passages support it: supported is true only where one or more passages say it, or it follows from them directly; what
you know yourself does not count. List in passages the numbers of the passages that support it, none where it is not
supported."""

INSTRUCTIONS = {
    CLAIMS: _CLAIM_RULES.format(what="the answer"),
    REFERENCE: _CLAIM_RULES.format(what="the reference, which is a right answer to the question,")
    + " A reference of a few words claims that these words answer the question.",
    PASSAGES: """\
For each passage, by its number and each exactly once, say whether it is useful: true where it states something that is
needed to answer the question, false where it could be left out.""",
    RELEVANCE: """\
Say in degree how far the answer addresses what is asked, whether it is true or not: fully, where it answers all that is
asked; partly, where it answers a part of it; not, where it answers nothing of it, talks about something else or
declines. List in sentences the numbers of the sentences of the answer that address the question, none for not.""",
    CORRECTNESS: """\
Say in degree how far the answer agrees with the references, each of which is a right answer by itself: fully, where it
says all that one of them says and contradicts nothing of it; partly, where it says a part of it and contradicts
nothing; not, where it says nothing of it or contradicts it. Other words for the same are the same. More than the
reference says is no fault. List in sentences the numbers of the sentences of the answer that agree with it, none for
not.""",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One kind of data put before the judge: what the prompt calls one of it ("passage"), and the texts."""

    name: str
    texts: Sequence[str]
    headings: Sequence[str] = ()


def judge_request(prompt: str, blocks: Sequence[Shown], *, scope: CallScope, max_tokens: int) -> ChatRequest:
    """Return the call: what to judge and how to read each block of data, then the blocks."""
    marked = [mark_data(_items(block), name=block.name) for block in blocks]
    rules = [f"{INSTRUCTIONS[prompt]}\n", *(f"- {block.rule}" for block in marked)]
    return ChatRequest(
        task="judge",
        prompt=prompt,
        messages=(
            Message(role="system", content="\n".join([_ROLE, *rules])),
            Message(role="user", content="\n\n".join(block.text for block in marked)),
        ),
        scope=scope,
        max_tokens=max_tokens,
    )


def _items(block: Shown) -> list[MarkedItem]:
    headings = block.headings or [""] * len(block.texts)
    return [MarkedItem(text=text, heading=heading) for text, heading in zip(block.texts, headings, strict=True)]

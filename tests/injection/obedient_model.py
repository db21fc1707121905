"""A language model that does whatever an attack wants, as well as the form of its reply lets it."""

import json

from model_clients.chat.messages import ChatRequest
from tests.injection.attacks import Attack
from tests.query.llm_world import passages_of


def obey(attack: Attack, request: ChatRequest) -> str:
    """Return the reply to a request of any kind."""
    said = attack.says.replace("{system}", request.messages[0].content)
    # A block of data begins a line; a question that has such words is one line with the rest of it.
    shown = passages_of(request) if "\n<<<data" in f"\n{request.messages[-1].content}" else {}
    said = said.replace("{passages}", " ".join(shown.values()))
    if attack.raw:
        return said
    numbers = _numbers(attack, shown)
    if request.prompt.startswith("answers-streamed"):
        marks = "".join(f"[{number}]" for number in numbers)
        return "\n".join(f"{line} {marks}" for line in said.splitlines())
    if request.prompt.startswith("follow-up"):
        return json.dumps({"question": said})
    if request.task == "rewriting":
        return json.dumps({"queries": [said, attack.text]})
    sentences = [{"text": said, "passages": numbers, "quotes": quotes} for quotes in ([], [attack.text])]
    return json.dumps({"relevance": 100, "sentences": [*sentences, {"text": said, "passages": [99, -1, 0]}]})


def _numbers(attack: Attack, shown: dict[int, str]) -> list[int]:
    """Return the number of the attacking passage first, then those of all others: a lie may cite whatever there is."""
    own = [number for number, text in shown.items() if attack.text[:20] in text]
    return list(dict.fromkeys([*own, *shown]))[:40]

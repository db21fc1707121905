"""The attacks of ``tests/injection`` against the small real model: what it makes of each, and that every answer holds.

Run: ``python -m benchmarks.attacks [NUMBER]`` (all take half an hour on one core); one line each, then counts.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

from graph_store.embedded.embedded_store import EmbeddedStore
from query.asking import Manner
from query.outcome import Answer
from tests.injection.attacked_world import check, question_of
from tests.injection.attacks import ATTACKS, Attack
from tests.llm.small_model import SmallModel, small_model
from tests.llm.test_asking import LOCAL, asker_of, write_attacked


def attacked(attack: Attack, model: SmallModel) -> Answer:
    """Ask a store with the attack in it; raises AssertionError where the answer does not hold what it promises."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "store"
        write_attacked(place, attack)
        with EmbeddedStore.open(place) as store:
            asker, models = asker_of(model, store, place)
            answer = asker.ask(question_of(attack), LOCAL, Manner())
            check(answer, store)
            models.close()
    return answer


def outcome(answer: Answer) -> str:
    """Return in a word or two what became of the question."""
    if answer.made_by == "extractive":
        return "source sentences"
    return "nothing found" if answer.abstained else "answered"


def main() -> None:
    """Run the first NUMBER attacks, or all."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else len(ATTACKS)
    step = max(1, len(ATTACKS) // number)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, small_model(Path(folder) / "log.txt") as model:
        for attack in ATTACKS[::step][:number]:
            answer = attacked(attack, model)
            dropped = dict(answer.llm.dropped) if answer.llm is not None else {}
            counts[outcome(answer)] += 1
            print(f"{attack.name}: {outcome(answer)} {dropped or ''}", flush=True)
    print(f"{counts.total()} attacks, every answer holds:", ", ".join(f"{key} {n}" for key, n in counts.items()))


if __name__ == "__main__":
    main()

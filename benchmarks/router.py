"""How often ``auto`` takes the right route on the example questions: ``python benchmarks/router.py``.

None of them was used to train the router, which has questions of its own (they are counted here, to be sure). Facts and
joins belong to the local route, themes and summaries to a global one; questions without an answer ask for facts.
"""

from collections import Counter
from pathlib import Path
from typing import Literal, TypeAlias

import yaml

from belvedere import KnowledgeBase
from query.router_training import cross_validate, read_examples

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
STORE = EXAMPLES.parent / ".demo" / "store"

Family: TypeAlias = Literal["local", "global"]
WANTED: dict[str, Family] = {
    "fact": "local",
    "join": "local",
    "unanswerable": "local",
    "theme": "global",
    "document_summary": "global",
}


def main() -> None:
    """Ask every question and print how many took the right kind of route."""
    questions = yaml.safe_load((EXAMPLES / "questions.yaml").read_text(encoding="utf-8"))
    trained_on = read_examples()
    known = {" ".join(text.casefold().split()) for text, _ in trained_on}
    shared = [question for question in questions if " ".join(question["question"].casefold().split()) in known]
    right: Counter[str] = Counter()
    wrong: list[str] = []
    with KnowledgeBase.open(STORE) as kb:
        kb.index(EXAMPLES / "corpus")
        for question in questions:
            outcome = kb.search(question["question"])
            taken: Family = "local" if outcome.route == "local" else "global"
            if taken == WANTED[question["type"]]:
                right[question["type"]] += 1
            else:
                wrong.append(f"  {question['id']}: {outcome.route}, {question['question']}")
    counts = Counter(question["type"] for question in questions)
    local = sum(count for kind, count in counts.items() if WANTED[kind] == "local")
    print(
        f"{len(questions)} example questions, {len(shared)} of them among the {len(trained_on)} that trained the router"
    )
    print(f"right family: {right.total() / counts.total():.3f} ({right.total()} of {counts.total()})")
    for kind, count in counts.items():
        print(f"  {kind}: {right[kind]} of {count}")
    print(f"always local: {local / counts.total():.3f}, always global: {1 - local / counts.total():.3f}")
    print(f"on the training questions, ten-fold cross-validation: {cross_validate(trained_on)}")
    print("wrong:" if wrong else "none wrong")
    print("\n".join(wrong))


if __name__ == "__main__":
    main()

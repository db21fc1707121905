"""Indexes the example corpus and asks it five questions, one of each kind that Belvedere tells apart."""

import time
from pathlib import Path

from belvedere import KnowledgeBase
from belvedere.cli.answer_text import show_answer
from belvedere.cli.progress import ProgressBar

HERE = Path(__file__).resolve().parent
STORE = HERE.parent / ".demo" / "store"

QUESTIONS = (
    ("a fact, in one passage", "In which year did Tidbinbilla's DSS-43 grow from 64 to 70 metres?"),
    (
        "a join, over two documents",
        "The dish that received Cassini's last signal was out of action for a long overhaul; "
        "when did it return to full service?",
    ),
    ("themes, over the whole collection", "What are the main themes of this collection?"),
    ("the summary of one document", "Summarise the article on Voyager 2."),
    ("nothing that the documents tell", "Which piece by Bach comes first on the golden record?"),
)


def main() -> None:
    """Index, then ask."""
    with KnowledgeBase.open(STORE) as kb:
        print(f"Indexing {HERE / 'corpus'} ...")
        start = time.perf_counter()
        with ProgressBar("loading the models") as bar:
            report = kb.index(HERE / "corpus", progress=bar)
        documents = report.documents
        print(f"  {documents.added} documents added, {documents.unchanged} unchanged; {report.chunks} chunks,")
        print(f"  {report.entities} entities, {report.relations} relations, {report.communities} communities,")
        print(f"  {report.tree_nodes} tree nodes, in {time.perf_counter() - start:.1f} s:")
        print("  " + ", ".join(f"{step} {seconds:.2f} s" for step, seconds in report.seconds.items()))
        kb.warm_up()
        for kind, question in QUESTIONS:
            print(f"\n{'=' * 100}\n{question}   [{kind}]\n")
            show_answer(kb.ask(question))


if __name__ == "__main__":
    main()

"""What drafting knows about English words."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


ACTS_OF_PERSONS = frozenset({"bear", "marry", "study", "educate", "graduate", "die", "retire", "emigrate", "grow"})
"""Verbs, by their lemma, whose subject is a person whatever the parser takes its name for."""

DONE_TO_THINGS = frozenset(
    {"launch", "release", "plan", "publish", "build", "record", "schedule", "film", "locate", "discover"}
)
"""Verbs whose passive has no person for its subject."""

LASTING = frozenset({"located", "based", "situated", "headquartered"})
"""Participles of what is still so where the sentence stands in the present."""

_PERSON_ENDINGS = ("er", "or", "ist", "ian", "man", "woman", "ess", "eer", "alyst")
_PERSONS = words(
    "poet athlete monk nun saint priest king queen prince duke scholar coach pilot ace chef critic model advocate "
    "architect diplomat bishop cardinal pope activist nurse surgeon soldier hero heroine person chemist judge "
    "son wife husband child uncle aunt cousin nephew niece heir widow descendant president secretary champion "
    "recipient head captain general lieutenant sergeant patriarch prophet native citizen expert merchant graduate"
)
_NO_PERSONS = words(
    "newspaper computer river tower theater theatre center paper number thriller chapter order water layer power "
    "container cruiser bomber fighter lander orbiter rover motor sensor reactor corridor sister brother quarter "
    "chamber border meter filter router server cluster folder charter register border harbor sector vector factor "
    "monster character disorder cancer transformer amplifier register buffer processor register flower sequencer "
    "list playlist checklist mist fist error mirror floor door minor major color colour process business manufacturer "
    "producer supplier carrier retailer publisher provider operator competitor exporter importer distributor catalyst"
)
_PAST = {
    "written": "wrote", "given": "gave", "taken": "took", "chosen": "chose", "drawn": "drew", "sung": "sang",
    "begun": "began", "driven": "drove", "shown": "showed", "spoken": "spoke", "seen": "saw", "beaten": "beat",
    "done": "did", "overseen": "oversaw", "undertaken": "undertook", "overthrown": "overthrew", "flown": "flew",
    "built": "built", "led": "led", "won": "won", "made": "made", "held": "held", "sold": "sold", "shot": "shot",
}  # fmt: skip


def is_person_noun(noun: str) -> bool:
    """Tell whether a common noun names persons by what they do or are to others ("scholar", "actress", "widow").

    What a company is called as readily ("manufacturer") does not count.
    """
    return noun in _PERSONS or (noun.endswith(_PERSON_ENDINGS) and noun not in _NO_PERSONS)


def past_tense(participle: str) -> str:
    """Return the past tense of a verb by its participle, "" where it is not known."""
    return _PAST.get(participle, participle if participle.endswith("ed") else "")


def question_word(label: str, name: str) -> str:
    """Return what asks for a name: "Who" for a person, and of an organisation only where that is sure.

    "" where it is unsure whether a person is meant: single words are often surnames.
    """
    if label == "PERSON":
        return "Who"
    if label == "ORG" and _looks_like_organisation(name):
        return "Which organisation"
    return "" if label == "ORG" and " " not in name else "What"


_ORGANISATIONS = words(
    "company corporation inc co corp ltd university college school institute society association agency laboratory "
    "committee council commission bank club group union league foundation ministry department party orchestra "
    "records press brewery institution administration bureau authority board centre center"
)


def _looks_like_organisation(name: str) -> bool:
    parts = name.replace(".", "").split()
    acronym = parts[-1].isupper() and len(parts[-1]) >= 3
    return acronym or bool(_ORGANISATIONS & {part.casefold() for part in parts})

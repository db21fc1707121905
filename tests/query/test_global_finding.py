import pytest

from query.global_finding import FoundTexts, is_on_topic
from query.question import analyse
from query.rarity import count_rarity
from query.settings import CommunitySettings

TEXTS = ("The lamp of the tower burned oil.", "A keeper lit the lamp at dusk.")
RARITY = count_rarity(TEXTS)
TOPIC = CommunitySettings().topic


def on_topic(question: str, nearest: float) -> bool:
    return is_on_topic(analyse(question), FoundTexts(texts=TEXTS, nearest=nearest), RARITY, TOPIC)


@pytest.mark.parametrize(
    ("question", "nearest", "expected"),
    [
        ("What are the main themes?", -1.0, True),
        ("What do the articles say about the lamp?", 0.21, True),
        ("What do the articles say about the lamp?", 0.1, False),
        ("What do the articles say about jazz?", 0.3, False),
        ("What do the articles say about jazz?", 0.4, True),
        ("What do the articles say about Zanzibar?", 0.4, False),
        ("How did jazz change?", 0.44, False),
        ("How did jazz change?", 0.5, True),
    ],
)
def test_texts_are_on_topic_by_nearness_and_words(question: str, nearest: float, expected: bool) -> None:
    assert on_topic(question, nearest) is expected

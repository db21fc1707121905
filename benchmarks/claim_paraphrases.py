# ruff: noqa: E501  # a sentence a line is easier to read
"""How the check of a model's sentences takes sentences written by hand: honest paraphrases, and near misses that lie.

Each rests on sections of the example documents. Of either kind every second one was looked at while the check was
made, the others only afterwards. Run: ``python -m benchmarks.claim_paraphrases``; ``--all`` prints each with what became
of it.
"""

import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from query.citations import Quote
from query.llm_answers.material import Material
from query.llm_answers.settings import LlmAnswerSettings
from query.llm_answers.support import Asked, Claim, judge

CORPUS = Path(__file__).parents[1] / "examples" / "corpus"
ASKED = Asked(question="", instructions=())

# A sentence, and what it rests on: documents, each with words of the section.
HONEST = (
    ("The orbit shrinks a little with every pass through the air because of drag.", "aerobraking: drag removes"),
    ("The shuttle Atlantis carried Magellan into space in May 1989.", "aerobraking: cloud-piercing"),
    ("Nearly the whole surface of Venus, 98 per cent, was mapped by Magellan's radar.", "aerobraking: cloud-piercing"),
    ("Parts left over from other projects were used to keep Magellan cheap.", "aerobraking: cloud-piercing"),
    ("Viterbi came from a Jewish family and was born in Bergamo in 1935.", "andrew-viterbi: racial laws"),
    ("In 1962 Viterbi got his doctorate from the University of Southern California.", "andrew-viterbi: telemetry link"),
    ("Viterbi took out no patent on his procedure.", "andrew-viterbi: did not patent"),
    ("He worked alongside Solomon Golomb at JPL from 1957.", "andrew-viterbi: telemetry link"),
    ("Hills protect the Canberra station from radio noise of the city.", "canberra-complex: radio noise"),
    ("Robert Menzies, the prime minister, opened Tidbinbilla in March 1965.", "canberra-complex: Honeysuckle"),
    ("After Honeysuckle Creek was closed, its dish went to Tidbinbilla.", "canberra-complex: Honeysuckle"),
    ("DSS-43 was out of service for about a year, from March 2020 to February 2021.", "canberra-complex: off the air"),
    ("Carolyn Porco was head of the imaging team of Cassini.", "cassini-huygens: imaging team"),
    ("Cassini flew by Titan 127 times.", "cassini-huygens: imaging team"),
    ("Boris Smeds found the fault by testing with signals from Goldstone.", "cassini-huygens: Boris Smeds"),
    ("Because the hardware could no longer be altered, Cassini's path was.", "cassini-huygens: Boris Smeds"),
    ("Vesta was found by Wilhelm Olbers, Ceres by Giuseppe Piazzi.", "dawn: Giuseppe Piazzi"),
    ("Dawn circled Vesta for more than a year before it left for Ceres.", "dawn: captured by Ceres"),
    ("NASA got JPL from the Army at the end of 1958.", "deep-space-network: Explorer 1"),
    ("William Pickering gave the network its present name in December 1963.", "deep-space-network: Space Flight Operations"),
    ("Delta-DOR compares the delay of a probe's signal with that of a nearby quasar.", "delta-dor: The clocks; delta-dor: far apart record"),
    ("Tones that are spaced more widely give better timing.", "delta-dor: extra tones"),
    ("Mariner 2 reached Venus in December 1962, the first successful visit to another planet.", "early-mariners: Mariner 1 was lost"),
    ("Mariner 2 found no magnetic field worth mentioning at Venus.", "early-mariners: solar panel failed"),
    ("Stone's doctoral adviser was John Simpson, in Chicago.", "ed-stone: Knoxville"),
    ("For fifty years, from 1972 to 2022, Stone was Voyager's project scientist.", "ed-stone: became project scientist"),
    ("Giotto takes its name from a painter who had probably seen a comet in 1301.", "giotto: Bondone"),
    ("A grain of dust destroyed Giotto's camera, but it later visited a second comet.", "giotto: The link broke; giotto: Grigg"),
    ("Galileo's large antenna never opened fully.", "galileo: like an umbrella"),
    ("The oldest site of the network, Goldstone, lies in the Mojave Desert.", "goldstone-complex: Fort Irwin"),
)  # fmt: skip
LIES = (
    ("Magellan was built of new parts rather than leftovers.", "aerobraking: cloud-piercing"),
    ("The shuttle Atlantis refused to carry Magellan on 4 May 1989.", "aerobraking: cloud-piercing"),
    ("Viterbi patented the procedure.", "andrew-viterbi: did not patent"),
    ("Solomon Golomb was born in Bergamo on 9 March 1935.", "andrew-viterbi: racial laws; andrew-viterbi: telemetry link"),
    ("Robert Menzies officially closed Tidbinbilla on 19 March 1965.", "canberra-complex: Honeysuckle"),
    ("Honeysuckle Creek was officially opened by Robert Menzies in 2009.", "canberra-complex: Honeysuckle"),
    ("DSS-43 is the smallest steerable parabolic antenna in the southern hemisphere.", "canberra-complex: Work on a 64-metre"),
    ("Boris Smeds led the imaging team of Cassini.", "cassini-huygens: imaging team; cassini-huygens: Boris Smeds"),
    ("Carolyn Porco discovered the fault in February 2000.", "cassini-huygens: imaging team; cassini-huygens: Boris Smeds"),
    ("The hardware could be changed.", "cassini-huygens: Boris Smeds"),
    ("Christopher Russell discovered Ceres in Palermo.", "dawn: Giuseppe Piazzi"),
    ("Vesta was discovered by Giuseppe Piazzi in Bremen in 1807.", "dawn: Giuseppe Piazzi"),
    ("Dawn went into orbit around Vesta on 6 March 2015.", "dawn: captured by Ceres"),
    ("Uwe Keller announced a single Deep Space Network on 24 December 1963.", "deep-space-network: Space Flight Operations; giotto: Uwe Keller"),
    ("The clocks of the two stations always agree perfectly.", "delta-dor: The clocks"),
    ("The clocks of the two stations agree perfectly.", "delta-dor: The clocks"),
    ("Mariner 1 passed Venus on 14 December 1962.", "early-mariners: Mariner 1 was lost"),
    ("Mariner 2 was lost on 22 July 1962.", "early-mariners: Mariner 1 was lost"),
    ("Mariner 2 found a noticeable magnetic field at Venus.", "early-mariners: solar panel failed"),
    ("Venus is very cold under its clouds.", "early-mariners: solar panel failed"),
    ("Rochus Vogt was born in Knoxville, Iowa, in 1936.", "ed-stone: Knoxville"),
    ("John Simpson became project scientist in 1972.", "ed-stone: Knoxville; ed-stone: became project scientist"),
    ("Lew Allen received the National Medal of Science in 1991.", "ed-stone: Lew Allen; ed-stone: National Medal"),
    ("Fred Whipple led the Halley Multicolour Camera.", "giotto: Kevlar; giotto: Uwe Keller"),
    ("Everybody knew where inside the bright cloud the nucleus was.", "giotto: Nobody knew"),
    ("Fred Whipple built the craft in Bristol.", "giotto: Kevlar"),
    ("All ribs of the antenna opened.", "galileo: like an umbrella"),
    ("The weaker stage was forbidden after the loss of Challenger.", "galileo: Centaur"),
    ("Walter Victor founded the Pioneer station in 1958.", "goldstone-complex: Pioneer 3; goldstone-complex: Walter Victor"),
    ("The Echo dish was destroyed.", "goldstone-complex: Pioneer 3"),
)  # fmt: skip


def section(place: str, number: int) -> Material:
    """Return the section of a document that has the words, as a passage."""
    name, _, words = place.partition(": ")
    text = (CORPUS / f"{name}.md").read_text(encoding="utf-8")
    title = text.partition("\n")[0].lstrip("# ")
    found = [part for part in re.split(r"^(?=#)", text, flags=re.MULTILINE) if words in part]
    heading, _, body = found[0].partition("\n")
    sentences = [sentence for sentence in re.split(r"(?<=[.!?])\s+|\n+", body) if sentence]
    quotes = tuple(
        Quote(chunk_id=str(number), char_start=at, char_end=at + 1, text=sentence)
        for at, sentence in enumerate(sentences)
    )
    above = " > ".join(dict.fromkeys((title, heading.lstrip("# "))))
    return Material(number=number, heading=above, text=body, quotes=quotes, documents=(name,))


def verdict(text: str, places: str) -> str:
    """Return "believed", or why not."""
    materials = [section(place, number) for number, place in enumerate(places.split("; "), start=1)]
    claim = Claim(text=text, numbers=tuple(item.number for item in materials))
    return judge(claim, materials, ASKED, least_words=LlmAnswerSettings().least_words).reason or "believed"


def _print(name: str, cases: Sequence[tuple[str, str]]) -> None:
    verdicts = [verdict(*case) for case in cases]
    for half, found in (("looked at", verdicts[::2]), ("not looked at", verdicts[1::2])):
        counts = ", ".join(f"{key} {count}" for key, count in Counter(found).most_common())
        print(f"{name}, {half}: {len(found)}: {counts}")
    if "--all" in sys.argv:
        for became, (text, _) in list(zip(verdicts, cases, strict=True))[:: 1 if "--held-back" in sys.argv else 2]:
            print(f"  {became}: {text}")


if __name__ == "__main__":
    _print("honest", HONEST)
    _print("lies", LIES)

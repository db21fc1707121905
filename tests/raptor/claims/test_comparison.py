"""A claim stands only where its numbers, its names and most of its words stand in its evidence."""

import pytest

from raptor.claims.comparison import is_supported

EVIDENCE = (
    "In 1,932 tonnes of steel the Sydney Harbour Bridge was built by Dorman Long of Middlesbrough. "
    "The physicist's daughter Irène Joliot-Curie opened it on 19 March 1932. It cost $6.25 million."
)


@pytest.mark.parametrize(
    "claim",
    [
        "Dorman Long built the Sydney Harbour Bridge.",
        "The bridge was opened on 19 March 1932 by Irène Joliot-Curie.",
        "Joliot-Curie opened the bridge.",
        "The bridge took 1932 tonnes of steel and cost 6.25 million.",
        "Overall, bridges are built of steel in Middlesbrough.",
    ],
)
def test_supported(claim: str) -> None:
    assert is_supported(claim, EVIDENCE)


@pytest.mark.parametrize(
    "claim",
    [
        "",
        "...",
        "Einstein opened the bridge.",
        "Dorman Long built the bridge in Melbourne.",
        "The bridge was opened on 20 March 1932.",
        "The bridge cost 6.52 million.",
        "I am sorry, but I cannot help with that request.",
        "Error: rate limit exceeded, please try again later.",
        "Italy built the bridge.",
        "Its engineers were celebrated widely for their courage and vision.",
    ],
)
def test_unsupported(claim: str) -> None:
    assert not is_supported(claim, EVIDENCE)


def test_other_scripts() -> None:
    assert is_supported("北京大学在1898年成立", "北京大学于1898年成立。")
    assert not is_supported("清华大学很好", "北京大学于1898年成立。")
    assert is_supported("Мост построен в 1932 году", "Мост, построенный в 1932 году.")

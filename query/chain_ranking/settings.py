"""Settings of chain ranking; the only place where a default stands."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainSettings:
    """How far and how wide chains of passages are followed."""

    enabled: bool = True
    """Whether passages are ranked by chains at all; without it the walk over the passage graph ranks."""
    weights: str = ""
    """A file of weights, as ``belvedere ranker train`` writes it; empty for those that come with the product."""
    anchors: Annotated[int, Ge(1)] = 8
    """Passages that chains start from, in each round."""
    pool: Annotated[int, Ge(1)] = 110
    """At most this many passages are ranked."""
    pool_walk: Annotated[int, Ge(1)] = 40
    """Passages with most mass in the walk that join the pool."""
    pool_fused: Annotated[int, Ge(1)] = 20
    """Best hits of the fused first searches that join the pool."""
    pool_hops: Annotated[int, Ge(1)] = 20
    """Passages nearest to the question carried on through an anchor that join the pool."""
    hop_hits: Annotated[int, Ge(1)] = 10
    """Hits of each search for those."""
    linked: Annotated[int, Ge(1)] = 300
    """Passages that anchors lead to, of which the nearest fill the pool up."""
    link_spread: Annotated[int, Ge(1)] = 40
    """A name in more passages than this, and than the share below, links nothing."""
    link_share: Annotated[float, Interval(ge=0, le=1)] = 0.03
    """The same as a share of all passages."""
    most_homes: Annotated[int, Ge(1)] = 3
    """A name that more passages are about leads to none of them."""

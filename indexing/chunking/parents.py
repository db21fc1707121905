"""Parents: the larger spans that neighbouring chunks belong to."""

from collections.abc import Sequence

from indexing.chunking.draft import Draft
from indexing.chunking.token_index import TokenIndex

# From this fraction of a parent on, the beginning of a new section begins a new parent too.
_FULL_ENOUGH = 0.6


def parent_groups(index: TokenIndex, drafts: Sequence[Draft], parent_tokens: int) -> list[list[Draft]]:
    """Group consecutive drafts into parents of at most ``parent_tokens`` tokens, if possible at the ends of sections.

    A draft that is larger is a parent of its own.
    """
    groups: list[list[Draft]] = []
    for draft in drafts:
        if groups and _belongs(index, groups[-1], draft, parent_tokens):
            groups[-1].append(draft)
        else:
            groups.append([draft])
    return groups


def _belongs(index: TokenIndex, group: Sequence[Draft], draft: Draft, parent_tokens: int) -> bool:
    start = group[0].start
    if index.count(start, draft.end) > parent_tokens:
        return False
    is_new_section = draft.section != group[-1].section
    return not (is_new_section and index.count(start, group[-1].end) >= _FULL_ENOUGH * parent_tokens)

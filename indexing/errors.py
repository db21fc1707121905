"""What an indexing run refuses to do."""

from collections.abc import Sequence


class AccessWouldWiden(ValueError):
    """A document that only some groups may read would be opened to everybody; nothing was written."""

    def __init__(self, source_uri: str, groups: Sequence[str]) -> None:
        super().__init__(
            f"{source_uri} is stored for the groups {', '.join(groups)} alone: give --groups {','.join(groups)} to keep"
            " it so, or --public to let everybody of the tenant read it"
        )

"""The part of broken-off JSON that is whole."""

from dataclasses import dataclass, field

# No form that we ask for is nested as deeply; scanning it would take its time.
_DEEPEST = 100

_CLOSES = {"{": "}", "[": "]"}


@dataclass(slots=True)
class _Scan:
    """Where a text of JSON stands, character by character."""

    open: list[str] = field(default_factory=list)
    in_string: bool = False
    escaped: bool = False
    last_whole: tuple[int, str] | None = None
    """Up to where the text may be kept, and what closes it then."""

    def step(self, place: int, character: str) -> bool:
        """Take in one character; return whether the outermost value ends with it."""
        if self.in_string:
            self._step_in_string(place, character)
            return False
        if character == '"':
            self.in_string = True
        elif character in _CLOSES:
            self.open.append(character)
            self._note(place + 1)
        elif character in "}]" and self.open:
            self.open.pop()
            self._note(place + 1)
            return not self.open
        elif character == ",":
            self._note(place)
        return False

    def _step_in_string(self, place: int, character: str) -> None:
        if self.escaped:
            self.escaped = False
        elif character == "\\":
            self.escaped = True
        elif character == '"':
            self.in_string = False
            self._note(place + 1)

    def _note(self, end: int) -> None:
        """Note that the text is whole up to here, where a list of the outermost objects is open.

        An object within a list is an item: what is open in it is not whole.
        """
        if not self.open or self.open[-1] != "[":
            return
        if any(outer == "[" for outer in self.open[:-1]):
            return
        self.last_whole = (end, "".join(_CLOSES[opened] for opened in reversed(self.open)))


def whole_part(text: str) -> str | None:
    """Return the JSON in ``text`` up to the last whole item of a list, closed; None where it does not break off.

    Empty where no part of it is whole, since it breaks off outside any list.
    """
    starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    if not starts:
        return None
    start, scan = min(starts), _Scan()
    for place in range(start, len(text)):
        if scan.step(place, text[place]):
            return None
        if len(scan.open) > _DEEPEST:
            return ""
    if scan.last_whole is None:
        return ""
    end, closing = scan.last_whole
    return text[start:end] + closing

"""What a process remembers of a store as long as its tenant does not change."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Remembered(Generic[_Value]):
    """The values of the last keys; a key names the state of the tenant that its value was made from."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, _Value] = OrderedDict()

    def of(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """Return the value of a key, made now where it is not known."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        made = make()
        with self._lock:
            self._known[key] = made
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return made

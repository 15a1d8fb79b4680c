"""A cache of bounded size, which lets go of what was used least recently."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """The values that were put in or looked up last. Not for several threads at a time."""

    def __init__(self, most: int, size_of: Callable[[Value], int] = lambda _: 1) -> None:
        """Start empty. All values together have a size of at most ``most``, but the last one is kept whatever its size.

        Without ``size_of`` each counts as 1.
        """
        self._most = most
        self._size_of = size_of
        self._size = 0
        self._values: dict[Key, Value] = {}
        """The value used least recently comes first."""

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, which counts as used; None where there is none."""
        if key not in self._values:
            return None
        value = self._values[key] = self._values.pop(key)
        return value

    def put(self, key: Key, value: Value) -> Value:
        """Put in a value, in the place of an earlier one of the key, and return it."""
        self._remove(key)
        self._values[key] = value
        self._size += self._size_of(value)
        while self._size > self._most and len(self._values) > 1:
            self._remove(next(iter(self._values)))
        return value

    def _remove(self, key: Key) -> None:
        if key in self._values:
            self._size -= self._size_of(self._values.pop(key))

"""JSON read into types, in any thread.

msgspec 0.22 analyses a type when it reads the first value of the type. If another thread reads a value meanwhile, the
process ends with a segmentation fault. So one thread at a time prepares a type here.
"""

import threading
from typing import Any, TypeVar

import msgspec

Read = TypeVar("Read")

_ready: dict[Any, msgspec.json.Decoder[Any]] = {}
_one_at_a_time = threading.Lock()


def _reader(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return what reads a type, which is ready by then, and all types in it."""
    if (reader := _ready.get(kind)) is None:
        with _one_at_a_time:
            reader = _ready[kind] = msgspec.json.Decoder(kind)
    return reader


def decode(data: bytes | str, type: type[Read]) -> Read:
    """Read JSON as a value of a type; raises `msgspec.DecodeError`."""
    return _reader(type).decode(data)


def convert(value: Any, type: type[Read], *, strict: bool = True) -> Read:
    """Return plain data, as of JSON, as a value of a type; raises `msgspec.ValidationError`.

    Texts of numbers are numbers if it is not ``strict``.
    """
    _reader(type)
    return msgspec.convert(value, type, strict=strict)

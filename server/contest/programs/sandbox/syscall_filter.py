"""System calls that a sealed program is refused, as a filter of seccomp. Pure.

Refused is what would reach beyond the bounds of its sandbox, and what programs that play games do without: to leave its
processor core; namespaces of its own, in which it could mount memory without end; and memory that belongs to no
process, so that nobody would see whose it is.
"""

import errno
import platform
import struct
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

NEW_USERS = 0x10000000
"""CLONE_NEWUSER: the namespace that gives the right to make all others."""

FOREIGN = 0x40000000
"""From this number on calls of x86-64 are those of its form with short pointers, of which there is no table here."""

_LOAD, _JUMP, _TEST, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
"""BPF: load a word of the call; jump where it equals, shares a bit with, is at least a number; end."""

_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Where these are in ``struct seccomp_data``; of an argument the low half."""

_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000

_CALLS = MappingProxyType(
    {
        "sched_setaffinity": errno.EPERM,
        "shmget": errno.EPERM,
        "semget": errno.EPERM,
        "msgget": errno.EPERM,
        "ipc": errno.EPERM,  # all of these in one, on 32 bits
        "memfd_create": errno.EPERM,
        "memfd_secret": errno.EPERM,
        "io_uring_setup": errno.ENOSYS,  # its threads may be put on any core; libraries do without it then
        "clone3": errno.ENOSYS,  # what it is asked for cannot be looked at; libraries take clone then
    }
)
"""Each call that is refused, and by which error."""


class _Machine(NamedTuple):
    """The numbers of calls where programs of a kind run."""

    architecture: int
    numbers: Mapping[str, int]
    splits: Mapping[str, int]
    """Calls that are refused where their first argument asks for `NEW_USERS`."""


_SINCE_2019 = {"io_uring_setup": 425, "clone3": 435, "memfd_secret": 447}
"""The same everywhere."""

_X86_64 = _Machine(
    0xC000003E,
    {"sched_setaffinity": 203, "shmget": 29, "semget": 64, "msgget": 68, "memfd_create": 319, **_SINCE_2019},
    {"clone": 56, "unshare": 272},
)
_I386 = _Machine(
    0x40000003,
    {
        **{"sched_setaffinity": 241, "ipc": 117, "shmget": 395, "semget": 393, "msgget": 399, "memfd_create": 356},
        **_SINCE_2019,
    },
    {"clone": 120, "unshare": 310},
)
_AARCH64 = _Machine(
    0xC00000B7,
    {"sched_setaffinity": 122, "shmget": 194, "semget": 190, "msgget": 186, "memfd_create": 279, **_SINCE_2019},
    {"clone": 220, "unshare": 97},
)

_MACHINES: Mapping[str, tuple[_Machine, ...]] = MappingProxyType({"x86_64": (_X86_64, _I386), "aarch64": (_AARCH64,)})
"""By what `platform.machine` says: whose programs run there."""


@cache
def refusals(machine: str = "") -> bytes | None:
    """Return the filter for a machine, this one if none is named, as bubblewrap reads it; None where none is known.

    Programs of another kind than the machine's own are refused every call.
    """
    kinds = _MACHINES.get(machine or platform.machine())
    if kinds is None:
        return None
    words = [_word(_LOAD, _ARCHITECTURE)]
    for kind in kinds:
        block = list(_block(kind))
        words += [_word(_JUMP, kind.architecture, 0, len(block)), *block]
    return b"".join([*words, _refuse(errno.ENOSYS)])


def _block(kind: _Machine) -> Iterator[bytes]:
    """Yield the instructions for one kind of program, the last of which ends."""
    yield _word(_LOAD, _NUMBER)
    if kind is _X86_64:
        yield _word(_AT_LEAST, FOREIGN, 0, 1)
        yield _refuse(errno.ENOSYS)
    for name, number in kind.numbers.items():
        yield _word(_JUMP, number, 0, 1)
        yield _refuse(_CALLS[name])
    for number in kind.splits.values():
        yield _word(_JUMP, number, 0, 4)
        yield _word(_LOAD, _FIRST_ARGUMENT)
        yield _word(_TEST, NEW_USERS, 0, 1)
        yield _refuse(errno.EPERM)
        yield _word(_RETURN, _ALLOW)
    yield _word(_RETURN, _ALLOW)


def _word(code: int, value: int, if_so: int = 0, else_: int = 0) -> bytes:
    """Return an instruction; the last two say how many to skip."""
    return struct.pack("=HBBI", code, if_so, else_, value)


def _refuse(error: int) -> bytes:
    return _word(_RETURN, _REFUSE | error)

"""Faults of the operating system: the fault of a program, or of the machine.

An error that is not known to be the program's counts as the machine's, so that no player loses a game by it.
"""

import errno
import os
from collections.abc import Collection

PROGRAM_FAULTS = frozenset(
    {
        errno.ENOENT,  # no such program, or no such interpreter in its first line
        errno.ENOTDIR,
        errno.EISDIR,
        errno.ELOOP,
        errno.ENAMETOOLONG,
        errno.EACCES,  # not executable
        errno.EPERM,
        errno.ENOEXEC,  # no program, or one for another processor
        errno.EINVAL,
        errno.E2BIG,
        getattr(errno, "ELIBBAD", errno.ENOEXEC),
    }
)
"""Error numbers of a failed start that are the fault of the program or its command."""

_CLAUSES = {
    errno.EAGAIN: "the machine has no processes left",
    errno.EMFILE: "the server has no file descriptors left",
    errno.ENFILE: "the machine has no file descriptors left",
    errno.ENOMEM: "the machine has no memory left",
    errno.ENOBUFS: "the machine has no memory left for its network",
    errno.ENOSPC: "no space is left on the disk",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EIO: "the disk cannot be read or written",
    errno.ETXTBSY: "the program is just being written",
}


def machine_fault(error: BaseException, besides: Collection[int] = PROGRAM_FAULTS) -> str:
    """Describe a fault of the machine in a clause; empty if the error is none.

    An OSError counts unless its number is ``besides``. The first such error of a group counts.
    """
    if isinstance(error, BaseExceptionGroup):
        return next((clause for one in error.exceptions if (clause := machine_fault(one, besides))), "")
    if isinstance(error, MemoryError):
        return f"{_CLAUSES[errno.ENOMEM]} ({type(error).__name__})"
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return f"{_CLAUSES[errno.EAGAIN]} ({error})"
    if isinstance(error, OSError) and error.errno not in besides:
        if error.errno is None:
            return str(error) or type(error).__name__
        words = _CLAUSES.get(error.errno, error.strerror or os.strerror(error.errno))
        return f"{words} ({errno.errorcode.get(error.errno, error.errno)})"
    return ""


def server_fault(error: BaseException) -> str:
    """Describe a failure of the server's own files or threads in a clause; empty if the error is none."""
    return machine_fault(error, besides=())

"""Tells who is to blame where the operating system refuses something: the program that was to run, or the machine.

What is not known to be the program's own counts as the machine's, so that nobody loses a game by it.
"""

import errno
import os

OWN = frozenset(
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
"""Error numbers with which a program cannot be started through a fault of its own, or of its command."""

_WORDS = {
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


def machine_fault(error: BaseException) -> str:
    """Say what the machine lacks by which an error came about, in a clause; empty where it is no fault of the machine.

    An OSError counts unless its number is one of `OWN`. Of a group of errors the first that counts is told.
    """
    if isinstance(error, BaseExceptionGroup):
        return next((clause for one in error.exceptions if (clause := machine_fault(one))), "")
    if isinstance(error, MemoryError):
        return f"{_WORDS[errno.ENOMEM]} ({type(error).__name__})"
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return f"{_WORDS[errno.EAGAIN]} ({error})"
    if isinstance(error, OSError) and error.errno not in OWN:
        if error.errno is None:
            return type(error).__name__
        words = _WORDS.get(error.errno, error.strerror or os.strerror(error.errno))
        return f"{words} ({errno.errorcode.get(error.errno, error.errno)})"
    return ""


def server_fault(error: BaseException) -> str:
    """Say what the server lacks where its own files or threads fail; empty where that is not what is wrong."""
    if isinstance(error, BaseExceptionGroup):
        return next((clause for one in error.exceptions if (clause := server_fault(one))), "")
    if isinstance(error, OSError) and error.errno is not None and error.errno in OWN:
        return f"{error.strerror or os.strerror(error.errno)} ({errno.errorcode[error.errno]})"
    return machine_fault(error)

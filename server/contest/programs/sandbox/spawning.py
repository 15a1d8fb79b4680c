"""Starting the process of a program, sealed or not, on its core."""

import subprocess
from collections.abc import Mapping, Sequence

from server.contest.programs.sandbox.cores import started_on


def spawn(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    core: int | None,
    *,
    talks: bool,
    errors: int,
    given: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a process that leads a session of its own, in a thread: it may use the cores that the thread may.

    It has pipes to talk on where it ``talks``, and is ``given`` other descriptors; what it says elsewhere goes to
    ``errors``.
    """
    with started_on(core):
        return subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
            stdout=subprocess.PIPE if talks else errors,
            stderr=errors,
            env=environment,
            cwd=folder,
            pass_fds=given,
            start_new_session=True,
        )

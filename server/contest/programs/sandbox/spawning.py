"""Starting the process of a program, sealed or not, on its core."""

import subprocess
from collections.abc import Mapping, Sequence

from server.config.process_settings import lower_priority_of
from server.contest.programs.sandbox.cores import started_on

NICENESS = 5
"""How much higher the nice values of programs are: what the server has to do takes little time, and goes first."""


def spawn(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    core: int | None,
    *,
    talks: bool,
    errors: int,
    given: Sequence[int] = (),
    niceness: int = NICENESS,
) -> subprocess.Popen[bytes]:
    """Start a process that leads a session of its own, in a thread: it may use the cores that the thread may.

    The session has a lower priority than this process.

    It has pipes to talk on where it ``talks``, and is ``given`` other descriptors; what it says elsewhere goes to
    ``errors``.
    """
    with started_on(core):
        process = subprocess.Popen(
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
    lower_priority_of(process.pid, niceness)
    return process

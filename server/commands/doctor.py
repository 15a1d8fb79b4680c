"""``arena-server doctor``: checks that ``arena-server serve`` does not make, or makes too late.

A server names a taken port, a damaged database or a wrong option itself when it starts. A check yields states and
sentences, and changes nothing. An exception of a check is a fault.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import server.web.app  # noqa: F401 - a package that is not installed ends the command with a sentence
from engine.commands.program import explain_fault
from engine.match import verification
from engine.match.record import BadRecord
from server.config import keys, serve_options
from server.config.declared import BadTable
from server.config.settings import Limits, Network
from server.contest.hosts.host import PROGRAMS
from server.contest.programs.sandbox.cores import usable
from server.contest.programs.sandbox.seal import sandbox_obstacle
from server.league.database import FILE as LEAGUE
from server.league.submissions.versions import FOLDER
from server.storage.disk import SUFFIX

GOOD, NOTE, WRONG = "ok", "note", "WRONG"

SAMPLE = 50
"""Minimum number of records that are verified if there are more: some seconds of work."""

OTHERS_READ = 0o077
"""Permissions of other users of a file or folder."""


class Finding(NamedTuple):
    """The result of a check."""

    state: str
    """`GOOD`, `NOTE` or `WRONG`."""
    about: str
    sentence: str


class Wrong(Exception):
    """A fault that a check has found; ``str(error)`` says in a sentence what is wrong and what to do."""


FAULTS = (Wrong, OSError, BadTable)
"""Exceptions of checks that are findings."""


Results = Iterator[tuple[str, str]]
"""States and sentences, as a check yields them."""


def diagnosis(config: Path | None, data: Path | None) -> Iterator[Finding]:
    """Check a configuration file, and optionally another data directory."""
    found = serve_options.Configuration({}, Limits())
    if config is not None:
        try:
            found = serve_options.read(config)
        except BadTable as error:
            yield Finding(WRONG, "configuration", str(error))
            return
        yield Finding(GOOD, "configuration", f"{config} can be read")
    options = serve_options.ServeOptions(**found.values)
    data = data or options.data
    checks: dict[str, Callable[[], Results]] = {
        "records": partial(_records, data),
        "signing key": partial(_signing_key, data),
        "league": partial(_league, data),
        "sandbox": _sandbox,
        "user header": partial(_user_header, options.user_header, found.limits.trusted),
    }
    for about, check in checks.items():
        try:
            for state, sentence in check():
                yield Finding(state, about, sentence)
        except FAULTS as error:
            yield Finding(WRONG, about, explain_fault(error))


def _sandbox() -> Results:
    yield (NOTE, why) if (why := sandbox_obstacle()) else (GOOD, "programs of contests can be sealed")
    if len(usable()) < PROGRAMS:
        yield NOTE, "both programs of a game share the only core, and each may slow down the other"


def _records(data: Path) -> Results:
    paths = [path for path in (data / "records").glob(f"*{SUFFIX}") if path.stem.isdecimal()]
    paths.sort(key=lambda path: int(path.stem))
    chosen = paths[:: max(1, len(paths) // SAMPLE)]
    untrue = 0
    for path in chosen:
        try:
            verification.verify(path.read_bytes().decode())
        except (OSError, UnicodeDecodeError, BadRecord) as error:
            untrue += 1
            yield WRONG, f"{path} is not true: {error}; restore it from a backup, or remove it"
    if not untrue:
        yield GOOD, f"{len(chosen)} of {len(paths)} were verified" if paths else "there are none"


def _league(data: Path) -> Results:
    places = [place for place in (data / LEAGUE, data / FOLDER) if place.exists()]
    for place in places:
        _check_access(place, "read")
    if places:
        yield GOOD, "accounts and submitted bots are readable only by the user of the server"


def _check_access(path: Path, harm: str) -> None:
    """Raise `Wrong` if other users have permissions of a file or folder."""
    if path.stat().st_mode & OTHERS_READ:
        raise Wrong(f"other users can {harm} {path}; chmod go= {path}")


def _signing_key(data: Path) -> Results:
    path = data / keys.SIGNING_KEY
    if path.exists():
        _check_access(path, "sign records with")
        keys.signing_key(data)
        yield GOOD, f"{path} is readable only by the user of the server"


def _user_header(header: str, trusted: Sequence[Network]) -> Results:
    """Check which hosts can sign people in by a header."""
    wide = [network for network in trusted if network.num_addresses > 1 and not network.is_loopback]
    if header and not trusted:
        yield WRONG, f"{header} is ignored: no network is trusted; name the proxy's address in trusted of [limits]"
    elif header and wide:
        yield WRONG, f"any host of {wide[0]} can sign in as anybody by {header}; trust the address of the proxy alone"
    elif header:
        care = "the proxy must remove it from requests of browsers, and run alone on its machine"
        yield GOOD, f"{header} is accepted from {', '.join(map(str, trusted))}: {care}"

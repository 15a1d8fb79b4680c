"""``arena-server doctor``: checks everything that a server needs before it is started.

A check yields states and sentences, and changes nothing. What it raises is a fault.
"""

import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from engine.commands.program import explain_fault
from engine.match import verification
from engine.match.reader import BadRecord
from engine.wire.words import number_of
from server.config import keys, serve_options, tokens
from server.config.declared import BadTable
from server.config.settings import Limits
from server.contest.programs.sandbox.seal import lacks, sandbox_obstacle
from server.contest.store import store as contests
from server.league import database as league
from server.league.ladder import definition as ladder
from server.league.submissions.versions import FOLDER
from server.storage.database import BadStore, snapshot
from server.storage.disk import SUFFIX, is_in_use
from server.web.http.metrics_endpoint import HOST as METRICS_HOST

GOOD, NOTE, WRONG = "ok", "note", "WRONG"

SAMPLE = 50
"""Least records that are verified where there are more: some seconds of work."""

SOON_DAYS = 14
"""Least remaining validity of a certificate, in days."""

OTHERS_READ, OTHERS_WRITE = 0o077, 0o022
"""Permissions that let other users look into a file or folder, and write to it."""


class Finding(NamedTuple):
    """The result of a check."""

    state: str
    """`GOOD`, `NOTE` or `WRONG`."""
    about: str
    sentence: str


class Wrong(Exception):
    """A finding of a check; ``str(error)`` is a sentence on what is wrong and what to do."""


FAULTS = (OSError, BadStore, BadTable, keys.BadCertificate, tokens.BadTokens)
"""Exceptions of checks that are findings, too; a hint says what to do."""


class Installation(NamedTuple):
    """A server that is to be checked."""

    options: serve_options.ServeOptions
    limits: Limits
    data: Path
    is_running: bool


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
    server = Installation(options, found.limits, data, is_in_use(data))
    for about, (check, hint) in CHECKS.items():
        try:
            for state, sentence in check(server):
                yield Finding(state, about, sentence)
        except Wrong as error:
            yield Finding(WRONG, about, str(error))
        except FAULTS as error:
            yield Finding(WRONG, about, "; ".join(filter(None, (explain_fault(error), hint.format(options)))))


def _running(server: Installation) -> Results:
    if server.is_running:
        yield NOTE, f"one is running with the data directory {server.data}"


def _port(server: Installation, host: str, port: int | None) -> Results:
    if server.is_running or port is None:
        return
    try:
        places = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _kind, _protocol, _name, place in places:
            socket.create_server(place, family=family).close()
    except OSError as error:
        what = f"{port} at {host} is not to be had: {error.strerror}"
        raise Wrong(f"{what}; stop what listens there, or choose another place") from None
    yield GOOD, f"{port} at {host} is free" if port else "one that is free is chosen"


def _sandbox(_: Installation) -> Results:
    if why := sandbox_obstacle():
        yield NOTE, why
    else:
        found = " ".join(lacks()) or "The kernel holds their bounds, in control groups."
        yield GOOD, f"programs of contests can be sealed. {found}"


def _data(server: Installation) -> Results:
    folder = server.data
    place = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    for part in (place, *(part for part in sorted(folder.glob("*")) if part.is_dir())):
        with tempfile.TemporaryFile(dir=part):
            pass
    yield GOOD, f"{folder} can be written to" if place == folder else f"{folder} is not there yet, and can be made"


def _records(server: Installation) -> Results:
    paths = [path for path in (server.data / "records").glob(f"*{SUFFIX}") if path.stem.isdecimal()]
    paths.sort(key=lambda path: int(path.stem))
    chosen = paths[:: max(1, len(paths) // SAMPLE)]
    untrue = 0
    for path in chosen:
        try:
            verification.verify(path.read_bytes().decode())
        except (OSError, UnicodeDecodeError, BadRecord) as error:
            untrue += 1
            yield WRONG, f"{path} is not true: {error}; take it from a backup, or take it away"
    if not untrue:
        yield GOOD, f"{len(chosen)} of {len(paths)} were verified" if paths else "there are none"


def _contests(server: Installation) -> Results:
    path = server.data / contests.FILE
    if path.exists():
        snapshot(path, contests.SCHEMA, "").close()
        yield GOOD, f"{path} is whole"


def _league(server: Installation) -> Results:
    path, folder = server.data / league.FILE, server.data / FOLDER
    if not path.exists():
        return
    for place in (path, folder):
        if place.exists():
            _check_access(place, OTHERS_READ, "look at")
    snapshot(path, league.SCHEMA, "").close()
    yield GOOD, f"{path} is whole"


def _check_access(path: Path, permissions: int, harm: str) -> None:
    """Raise `Wrong` where other users have some permissions of a file or folder."""
    if path.stat().st_mode & permissions:
        raise Wrong(f"others here can {harm} {path}; chmod go= {path}")


def _signing_key(server: Installation) -> Results:
    path = server.data / keys.SIGNING_KEY
    if path.exists():
        _check_access(path, OTHERS_READ, "sign what they like by")
        keys.signing_key(server.data)
        yield GOOD, f"{path} can be read by the user that runs the server alone"


def _certificate(server: Installation) -> Results:
    certificate, key = server.options.tls_cert, server.options.tls_key
    if certificate is not None and key is not None:
        days = keys.days_left(keys.Identity(certificate, key))
        sentence = f"{certificate} is valid for {number_of(days, 'day')} more"
        is_short = days < SOON_DAYS
        yield NOTE if is_short else GOOD, f"{sentence}; renew it, and start the server again" if is_short else sentence
    elif certificate != key:
        raise Wrong("tls.cert and tls.key belong together; one of them is missing")


def _token_file(path: Path | None, read: Callable[[Path], object], harm: str) -> Results:
    if path is not None:
        read(path)
        _check_access(path, OTHERS_WRITE, harm)
        yield GOOD, f"{path} has hashes of tokens"


def _user_header(server: Installation) -> Results:
    """Check who can sign people in by a header."""
    header, trusted = server.options.user_header, server.limits.trusted
    wide = [network for network in trusted if network.num_addresses > 1 and not network.is_loopback]
    if not header:
        return
    if not trusted:
        what = f"{header} is believed of nobody: no network is trusted"
        raise Wrong(f"{what}; name the proxy's address in trusted of [limits]")
    if wide:
        what = f"any host of {wide[0]} can sign in as anybody by {header}"
        raise Wrong(f"{what}; trust the address of the proxy alone")
    what = f"{header} is believed of {', '.join(map(str, trusted))}"
    care = "the proxy there has to remove it from what browsers send, and nobody else may run programs there"
    yield GOOD, f"{what}: {care}"


def _ladder(server: Installation) -> Results:
    path = server.options.ladder
    if path is None:
        return
    found = ladder.read_file(path)
    programs = found.contest.entrants
    named = f"{number_of(len(found.listed) - len(programs), 'level')} and {number_of(len(programs), 'program')}"
    yield GOOD, f"{path} has {number_of(len(found.weights), 'game')}, {named} beside the bots of the league"


RESTORE = "take it from a backup, install the version that wrote it, or give another data directory"

CHECKS: dict[str, tuple[Callable[[Installation], Results], str]] = {
    "server": (_running, ""),
    "port": (lambda server: _port(server, server.options.host, server.options.port), ""),
    "metrics": (lambda server: _port(server, METRICS_HOST, server.options.metrics), ""),
    "data": (_data, "let the user that runs the server write there"),
    "records": (_records, ""),
    "contests": (_contests, RESTORE),
    "signing key": (_signing_key, ""),
    "league": (_league, RESTORE),
    "sandbox": (_sandbox, ""),
    "certificate": (_certificate, "get another one"),
    "tokens": (
        lambda server: _token_file(server.options.tokens, tokens.read, "let in whom they like by"),
        "arena-server token NAME --tokens {0.tokens} makes what is right",
    ),
    "organiser": (
        lambda server: _token_file(server.options.organiser, tokens.read_organiser, "become the organiser by"),
        "arena-server organiser-token --file {0.organiser} makes one where there is none",
    ),
    "user header": (_user_header, ""),
    "ladder": (_ladder, ""),
}
"""Everything that is checked, in this order, with a hint for the faults that a check raises."""

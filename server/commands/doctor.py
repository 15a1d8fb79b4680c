"""``arena-server doctor``: checks everything that a server needs before it is started.

A check yields states and sentences, and changes nothing.
"""

import os
import resource
import shutil
import socket
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from engine.match import recovery, verification
from engine.match.reader import BadRecord
from engine.wire.words import number_of
from server.config import keys, serve_options, tokens
from server.config.declared import BadTable
from server.config.serve_options import ServeOptions
from server.config.settings import Limits, Settings
from server.contest.definition import Sandbox
from server.contest.programs.sandbox.choice import lacks, sandbox_obstacle
from server.contest.store.store import FILE as STORE
from server.league.database import FILE as LEAGUE
from server.league.ladder import definition as ladder
from server.league.submissions.versions import BUILD, FOLDER, disk_use
from server.storage.database import BadStore, other_version
from server.storage.disk import SUFFIX, is_in_use
from server.web.http.metrics_endpoint import HOST as METRICS_HOST

GOOD, NOTE, WRONG = "ok", "note", "WRONG"


class Finding(NamedTuple):
    """The result of a check."""

    state: str
    """`GOOD`, `NOTE` or `WRONG`."""
    about: str
    sentence: str

    def line(self) -> str:
        """Format the finding as a line."""
        return f"{self.state:5} {self.about}: {self.sentence}"


MEGABYTE = 1 << 20

MAX_NAMED = 5
"""Versions that are named in a sentence."""

MIN_BYTES = 100_000_000
"""Least free space: a contest writes as much in a day."""

FEW_BYTES = 1_000_000_000

SAMPLE = 50
"""Records that are verified unless all are to be: some seconds of work."""

OTHER_FILES = 64
"""Descriptors that the server needs in addition to its connections and matches."""

SOON_DAYS = 14
"""Least remaining validity of a certificate, in days."""


Said = Iterator[tuple[str, str]]
"""States and sentences, as a check yields them."""


class Installation(NamedTuple):
    """A server that is to be checked."""

    options: ServeOptions
    limits: Limits
    data: Path
    is_running: bool
    every_record: bool


class Check(NamedTuple):
    """A check, and a hint for the faults that it raises."""

    about: str
    run: Callable[[Installation], Said]
    hint: str = ""
    """What to do about a fault that is raised; options stand in it as ``{0.tokens}``."""


def diagnosis(config: Path | None, data: Path | None, *, every_record: bool = False) -> Iterator[Finding]:
    """Check a configuration file, and optionally another data directory."""
    found = serve_options.Configuration({}, Limits())
    if config is not None:
        try:
            found = serve_options.read(config)
        except BadTable as error:
            yield Finding(WRONG, "configuration", str(error))
            return
        yield Finding(GOOD, "configuration", f"{config} can be read")
    options = ServeOptions(**found.values)
    data = data or options.data
    server = Installation(options, found.limits, data, is_in_use(data), every_record)
    for check in CHECKS:
        try:
            for state, sentence in check.run(server):
                yield Finding(state, check.about, sentence)
        except FAULTS as error:
            hint = check.hint.format(options)
            yield Finding(WRONG, check.about, f"{error}; {hint}" if hint else str(error))


def _running(server: Installation) -> Said:
    if server.is_running:
        yield NOTE, f"one is running with the data directory {server.data}"


def _port(server: Installation, host: str, port: int | None) -> Said:
    if server.is_running or port is None:
        return
    try:
        places = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _name, place in places:
            with socket.socket(family, kind, protocol) as listener:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listener.bind(place)
                listener.listen(1)
    except OSError as error:
        yield (
            WRONG,
            (f"{port} at {host} is not to be had: {error.strerror}; stop what listens there, or choose another place"),
        )
    else:
        yield GOOD, f"{port} at {host} is free" if port else "one that is free is chosen"


def _sandbox(_: Installation) -> Said:
    if why := sandbox_obstacle():
        yield NOTE, why
    else:
        found = " ".join(lacks()) or "The kernel holds their bounds, in control groups."
        yield GOOD, f"programs of contests can be sealed. {found}"


def _data(server: Installation) -> Said:
    folder, place = server.data, _existing(server.data)
    for part in (place, *(part for part in sorted(folder.glob("*")) if part.is_dir())):
        try:
            with tempfile.TemporaryFile(dir=part):
                pass
        except OSError as error:
            yield (
                WRONG,
                (f"nothing can be written to {part}: {error.strerror}; let the user that runs the server write there"),
            )
            return
    yield GOOD, f"{folder} can be written to" if place == folder else f"{folder} is not there yet, and can be made"


def _existing(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that is there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _space(server: Installation) -> Said:
    folder = _existing(server.data)
    free = shutil.disk_usage(folder).free
    sentence = f"{free / 1e9:.1f} GB are free where {folder} is"
    if free < MIN_BYTES:
        yield WRONG, f"{sentence}; matches end without a record when nothing is left: make room"
    else:
        yield NOTE if free < FEW_BYTES else GOOD, sentence


def _descriptors(_: Installation) -> Said:
    settings = Settings()
    _soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = settings.most_sessions + settings.most_matches + OTHER_FILES
    if most != resource.RLIM_INFINITY and most < needed:
        yield (
            WRONG,
            (
                f"a process may open {most} files, and {needed} are needed when the server is full; "
                "raise it (ulimit -Hn, LimitNOFILE= of systemd)"
            ),
        )
    else:
        yield GOOD, f"enough may be open for {settings.most_sessions} connections"


def _records(server: Installation) -> Said:
    paths = _files(server.data / "records")
    is_sample = len(paths) > SAMPLE and not server.every_record
    chosen = [paths[n * len(paths) // SAMPLE] for n in range(SAMPLE)] if is_sample else paths
    untrue = 0
    for path in chosen:
        try:
            verification.verify(path.read_bytes().decode())
        except (OSError, UnicodeDecodeError, BadRecord) as error:
            untrue += 1
            yield WRONG, f"{path} is not true: {error}; take it from a backup, or take it away"
    if not untrue:
        yield GOOD, f"{len(chosen)} of {len(paths)} were verified" if paths else "there are none"


def _journals(server: Installation) -> Said:
    if server.is_running:
        return
    good = 0
    paths = _files(server.data / "running")
    for path in paths:
        try:
            leftover = recovery.examine(int(path.stem), path.read_bytes())
        except OSError as error:
            yield WRONG, f"{path} cannot be read: {error.strerror}; let the server's user read it"
            continue
        good += not leftover.fault
        if leftover.fault:
            yield (
                WRONG,
                (
                    f"{path} is damaged: {leftover.fault}; "
                    "its match is annulled, and it is kept in damaged/, when the server starts"
                ),
            )
    if not paths:
        yield GOOD, "no match was running"
    elif good:
        yield NOTE, f"matches that were running: {good}; they go on when the server starts"


def _damaged(server: Installation) -> Said:
    folder = server.data / "damaged"
    if paths := _files(folder):
        yield NOTE, f"journals that could not be taken up: {len(paths)}; look at them in {folder}, and take them away"


def _contests(server: Installation) -> Said:
    path = server.data / STORE
    if path.exists():
        _rows(path)
    yield GOOD, f"{path} is whole" if path.exists() else "there are none"


def _rows(path: Path, query: str = "SELECT 1") -> list[Any]:
    """Return the rows of a query of a database, which is only read, also while a server writes into it.

    Raises `BadStore` where the database is damaged, or of another version.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            (whole,) = database.execute("PRAGMA quick_check(1)").fetchone()
            if whole != "ok":
                raise sqlite3.DatabaseError(whole)
            if other := other_version(database, path):
                raise BadStore(f"{other}; install that version again, or give another data directory")
            return database.execute(query).fetchall()
    except sqlite3.Error as error:
        raise BadStore(f"{path} is damaged: {error}; take it from a backup") from None


def _signing_key(server: Installation) -> Said:
    """Check the key that signs exports, where one was made."""
    path = server.data / keys.SIGNING_KEY
    if not path.exists():
        return
    if path.stat().st_mode & 0o077:
        yield WRONG, f"others here can read {path}, and sign what they like; chmod go= {path}"
    else:
        keys.signing_key(server.data)
        yield GOOD, f"{path} can be read by the user that runs the server alone"


def _certificate(server: Installation) -> Said:
    certificate, key = server.options.tls_cert, server.options.tls_key
    if certificate is not None and key is not None:
        days = keys.days_left(keys.Identity(certificate, key))
        sentence = f"{certificate} is valid for {number_of(days, 'day')} more"
        is_short = days < SOON_DAYS
        yield NOTE if is_short else GOOD, f"{sentence}; renew it, and start the server again" if is_short else sentence
    elif certificate != key:
        yield WRONG, "tls.cert and tls.key belong together; one of them is missing"


def _tokens(server: Installation) -> Said:
    if path := server.options.tokens:
        found = f"those of {number_of(len(tokens.read(path)), 'player')}"
        yield _secret(path, found, "who let in whom they like")


def _organiser(server: Installation) -> Said:
    if path := server.options.organiser:
        tokens.read_organiser(path)
        yield _secret(path, "the hash of a token", "who then organise")


def _secret(path: Path, found: str, harm: str) -> tuple[str, str]:
    """Check who may write to a file of hashed tokens, in which something was found."""
    if path.stat().st_mode & 0o022:
        return WRONG, f"{path} may be written to by others, {harm}; chmod go-w"
    return GOOD, f"{path} has {found}"


def _user_header(server: Installation) -> Said:
    """Check who can sign people in by a header."""
    header, trusted = server.options.user_header, server.limits.trusted
    wide = [network for network in trusted if network.num_addresses > 1 and not network.is_loopback]
    if not header:
        return
    if server.options.no_web:
        yield NOTE, f"{header} signs nobody in where no pages are served; take user-header or no-web away"
    elif not trusted:
        yield (
            WRONG,
            (f"{header} is believed of nobody: no network is trusted; name the proxy's address in trusted of [limits]"),
        )
    elif wide:
        yield WRONG, (f"any host of {wide[0]} can sign in as anybody by {header}; trust the address of the proxy alone")
    else:
        yield (
            GOOD,
            (
                f"{header} is believed of {', '.join(map(str, trusted))}: "
                "the proxy there has to remove it from what browsers send, and nobody else may run programs there"
            ),
        )


def _ladder(server: Installation) -> Said:
    path = server.options.ladder
    if path is None:
        return
    found = ladder.read_file(path)
    missing = [program for program in found.programs if not Path(program.folder).is_dir()]
    if missing:
        yield WRONG, f"{path}: the folder of {missing[0].name} is not there: {missing[0].folder}"
    elif found.sandbox is Sandbox.SEALED and sandbox_obstacle():
        yield WRONG, f"{path} seals programs, which this machine cannot: see sandbox"
    else:
        named = f"{number_of(len(found.levels), 'level')} and {number_of(len(found.programs), 'program')}"
        yield GOOD, f"{path} has {number_of(len(found.variants), 'game')}, {named} beside the bots of the league"


def _files(folder: Path) -> list[Path]:
    """Return the files of matches in a folder, in order."""
    paths = [path for path in folder.glob(f"*{SUFFIX}") if path.stem.isdecimal()]
    return sorted(paths, key=lambda path: int(path.stem))


def _league(server: Installation) -> Said:
    """Check the league of a data directory; yield nothing where there is none."""
    path = server.data / LEAGUE
    if not path.exists():
        return
    for place, what in ((path, "who is signed in"), (server.data / FOLDER, "all bots")):
        if place.exists() and place.stat().st_mode & 0o077:
            yield WRONG, f"others here can look at {what}, in {place}; chmod go= {place}"
    _rows(path)
    yield GOOD, f"{path} is whole"


def _versions(server: Installation) -> Said:
    """Check the files of the versions of bots, where there are any."""
    path, folder = server.data / LEAGUE, server.data / FOLDER
    try:
        rows = _rows(path, VERSIONS) if path.exists() else []
    except BadStore:  # the check of the league says so
        return
    if not rows:
        return
    active = {f"version {row[1]} of {row[0]}": folder / row[0].lower() / str(row[1]) for row in rows if row[2]}
    missing = [version for version, place in active.items() if not (place / BUILD).is_dir()]
    if missing:
        named = ", ".join(missing[:MAX_NAMED]) + (" and others" if len(missing) > MAX_NAMED else "")
        yield WRONG, f"the files of {named} are missing, which should play; take them from a backup"
    closed = [place for place, _, _ in os.walk(folder) if not os.access(place, os.R_OK | os.W_OK | os.X_OK)]
    if closed:
        yield WRONG, f"{closed[0]} cannot be written to; let the user that runs the server write there"
    if not missing and not closed:
        many = number_of(len(rows), "version has", "versions have")
        yield GOOD, f"{many} {disk_use(folder).size / MEGABYTE:.0f} MB on the disk"
    if why := sandbox_obstacle():
        yield NOTE, f"versions of bots wait until they can be tried in a sandbox: {why}"


VERSIONS = """SELECT bots.name, number, state = 'active' FROM versions JOIN bots ON bots.id = bot
WHERE state != 'deleted' ORDER BY bots.name"""

CHECKS = (
    Check("server", _running),
    Check("port", lambda server: _port(server, server.options.host, server.options.port)),
    Check("metrics", lambda server: _port(server, METRICS_HOST, server.options.metrics)),
    Check("data", _data),
    Check("space", _space),
    Check("files", _descriptors),
    Check("records", _records),
    Check("journals", _journals),
    Check("damaged", _damaged),
    Check("contests", _contests),
    Check("signing key", _signing_key),
    Check("league", _league),
    Check("versions", _versions),
    Check("sandbox", _sandbox),
    Check("certificate", _certificate, "get another one"),
    Check("tokens", _tokens, "arena-server token NAME --tokens {0.tokens} makes what is right"),
    Check("organiser", _organiser, "arena-server organiser-token --file {0.organiser} makes one where there is none"),
    Check("user header", _user_header),
    Check("ladder", _ladder),
)
"""Everything that is checked, in this order."""

FAULTS = (OSError, UnicodeDecodeError, BadStore, BadTable, keys.BadCertificate, tokens.BadTokens)
"""Faults that checks raise."""

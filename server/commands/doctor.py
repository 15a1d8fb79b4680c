"""``arena-server doctor``: checks everything that a server needs before it is started.

Each check returns findings; none changes anything, and none lets a broken file raise.
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
from server.storage.database import other_version
from server.storage.disk import is_in_use
from server.storage.record_store import SUFFIX
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


OTHER_TODO = "install that version again, or give another data directory"
"""What to do with a database that another version has written."""

MIN_BYTES = 100_000_000
"""Least free space: a contest writes as much in a day."""

FEW_BYTES = 1_000_000_000

SAMPLE = 50
"""Records that are verified unless all are to be: some seconds of work."""

OTHER_FILES = 64
"""Descriptors that the server needs in addition to its connections and matches."""

SOON_DAYS = 14
"""Least remaining validity of a certificate, in days."""


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
    if (options.tls_cert is None) != (options.tls_key is None):
        yield Finding(WRONG, "certificate", "tls.cert and tls.key belong together; one of them is missing")
    settings = Settings(
        host=options.host,
        port=options.port,
        metrics=options.metrics,
        data=data or options.data,
        limits=found.limits,
        tls=None
        if options.tls_cert is None or options.tls_key is None
        else keys.Identity(options.tls_cert, options.tls_key),
    )
    yield from examine(settings, every_record=every_record)
    if options.tokens is not None:
        yield _tokens(options.tokens)
    if options.organiser is not None:
        yield _organiser(options.organiser)
    if options.user_header:
        yield _user_header(options, found.limits)
    if options.ladder is not None:
        yield _ladder(options.ladder)


def examine(settings: Settings, *, every_record: bool = False) -> Iterator[Finding]:
    """Check settings, except the files of tokens."""
    runs = is_in_use(settings.data)
    if runs:
        yield Finding(NOTE, "server", f"one is running with the data directory {settings.data}")
    else:
        yield _port("port", settings.host, settings.port)
        if settings.metrics is not None:
            yield _port("metrics", METRICS_HOST, settings.metrics)
    yield _folder(settings.data)
    yield _space(settings.data)
    yield _descriptors(settings)
    yield from _records(settings.data / "records", every_record)
    if not runs:
        yield from _journals(settings.data / "running")
    yield from _damaged(settings.data / "damaged")
    yield _store(settings.data / STORE)
    yield from _signing_key(settings.data / keys.SIGNING_KEY)
    yield from league_findings(settings.data)
    yield _sealing()
    if settings.tls is not None:
        yield _certificate(settings.tls)


def _port(about: str, host: str, port: int) -> Finding:
    try:
        places = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, place in places:
            with socket.socket(family, kind, protocol) as listener:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listener.bind(place)
                listener.listen(1)
    except OSError as error:
        todo = "stop what listens there, or choose another place"
        return Finding(WRONG, about, f"{port} at {host} is not to be had: {error.strerror}; {todo}")
    return Finding(GOOD, about, f"{port} at {host} is free" if port else "one that is free is chosen")


def _sealing() -> Finding:
    why = sandbox_obstacle()
    if why:
        return Finding(NOTE, "sandbox", why)
    found = " ".join(lacks()) or "The kernel holds their bounds, in control groups."
    return Finding(GOOD, "sandbox", f"programs of contests can be sealed. {found}")


def _folder(folder: Path) -> Finding:
    place = _existing(folder)
    here = [place, *(part for part in sorted(folder.glob("*")) if part.is_dir())]
    for part in here:
        try:
            with tempfile.TemporaryFile(dir=part):
                pass
        except OSError as error:
            todo = "let the user that runs the server write there"
            return Finding(WRONG, "data", f"nothing can be written to {part}: {error.strerror}; {todo}")
    if place != folder:
        return Finding(GOOD, "data", f"{folder} is not there yet, and can be made")
    return Finding(GOOD, "data", f"{folder} can be written to")


def _existing(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that is there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def _space(folder: Path) -> Finding:
    folder = _existing(folder)
    free = shutil.disk_usage(folder).free
    sentence = f"{free / 1e9:.1f} GB are free where {folder} is"
    if free < MIN_BYTES:
        return Finding(WRONG, "space", f"{sentence}; matches end without a record when nothing is left: make room")
    return Finding(NOTE if free < FEW_BYTES else GOOD, "space", sentence)


def _descriptors(settings: Settings) -> Finding:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = settings.most_sessions + settings.most_matches + OTHER_FILES
    if most != resource.RLIM_INFINITY and most < needed:
        todo = "raise it (ulimit -Hn, LimitNOFILE= of systemd)"
        sentence = f"a process may open {most} files, and {needed} are needed when the server is full; {todo}"
        return Finding(WRONG, "files", sentence)
    return Finding(GOOD, "files", f"enough may be open for {settings.most_sessions} connections")


def _records(folder: Path, every: bool) -> Iterator[Finding]:
    paths = _files(folder)
    chosen = paths if every or len(paths) <= SAMPLE else [paths[n * len(paths) // SAMPLE] for n in range(SAMPLE)]
    untrue = 0
    for path in chosen:
        try:
            verification.verify(path.read_bytes().decode())
        except (OSError, UnicodeDecodeError, BadRecord) as error:
            untrue += 1
            yield Finding(WRONG, "records", f"{path} is not true: {error}; take it from a backup, or take it away")
    if not untrue:
        sentence = f"{len(chosen)} of {len(paths)} were verified" if paths else "there are none"
        yield Finding(GOOD, "records", sentence)


def _journals(folder: Path) -> Iterator[Finding]:
    good = 0
    paths = _files(folder)
    for path in paths:
        try:
            leftover = recovery.examine(int(path.stem), path.read_bytes())
        except OSError as error:
            yield Finding(WRONG, "journals", f"{path} cannot be read: {error.strerror}; let the server's user read it")
            continue
        if leftover.fault:
            todo = "its match is annulled, and it is kept in damaged/, when the server starts"
            yield Finding(WRONG, "journals", f"{path} is damaged: {leftover.fault}; {todo}")
        else:
            good += 1
    if not paths:
        yield Finding(GOOD, "journals", "no match was running")
    elif good:
        yield Finding(NOTE, "journals", f"matches that were running: {good}; they go on when the server starts")


def _damaged(folder: Path) -> Iterator[Finding]:
    paths = _files(folder)
    if paths:
        sentence = f"journals that could not be taken up: {len(paths)}; look at them in {folder}, and take them away"
        yield Finding(NOTE, "damaged", sentence)


def _store(path: Path) -> Finding:
    return _database(path, "contests")[0] if path.exists() else Finding(GOOD, "contests", "there are none")


def _database(path: Path, about: str, *queries: str) -> tuple[Finding, list[list[Any]]]:
    """Check a database, which is only read, also while a server writes into it.

    Return the rows of queries where it is whole.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            (whole,) = database.execute("PRAGMA quick_check(1)").fetchone()
            if whole != "ok":
                raise sqlite3.DatabaseError(whole)
            if other := other_version(database, path):
                return Finding(WRONG, about, f"{other}; {OTHER_TODO}"), []
            found = [database.execute(query).fetchall() for query in queries]
    except sqlite3.Error as error:
        return Finding(WRONG, about, f"{path} is damaged: {error}; take it from a backup"), []
    return Finding(GOOD, about, f"{path} is whole"), found


def _signing_key(path: Path) -> Iterator[Finding]:
    """Check the key that signs exports, where one was made."""
    if not path.exists():
        return
    if path.stat().st_mode & 0o077:
        yield Finding(WRONG, "signing key", f"others here can read {path}, and sign what they like; chmod go= {path}")
        return
    try:
        keys.signing_key(path.parent)
    except OSError as error:
        yield Finding(WRONG, "signing key", str(error))
    else:
        yield Finding(GOOD, "signing key", f"{path} can be read by the user that runs the server alone")


def _certificate(identity: keys.Identity) -> Finding:
    try:
        days = keys.days_left(identity)
    except keys.BadCertificate as error:
        return Finding(WRONG, "certificate", f"{error}; get another one")
    sentence = f"{identity.certificate} is valid for {number_of(days, 'day')} more"
    if days < SOON_DAYS:
        return Finding(NOTE, "certificate", f"{sentence}; renew it, and start the server again")
    return Finding(GOOD, "certificate", sentence)


def _tokens(path: Path) -> Finding:
    todo, who = f"arena-server token NAME --tokens {path} makes what is right", "who let in whom they like"
    return _secret(path, "tokens", todo, who, lambda: f"those of {number_of(len(tokens.read(path)), 'player')}")


def _organiser(path: Path) -> Finding:
    todo = f"arena-server organiser-token --file {path} makes one where there is none"
    return _secret(
        path, "organiser", todo, "who then organise", lambda: tokens.read_organiser(path) and "the hash of a token"
    )


def _secret(path: Path, about: str, todo: str, harm: str, read: Callable[[], str]) -> Finding:
    """Check a file of hashed tokens; ``read`` reads it, and says what it has."""
    try:
        found = read()
    except (OSError, UnicodeDecodeError, tokens.BadTokens) as error:
        return Finding(WRONG, about, f"{error}; {todo}")
    if path.stat().st_mode & 0o022:
        return Finding(WRONG, about, f"{path} may be written to by others, {harm}; chmod go-w")
    return Finding(GOOD, about, f"{path} has {found}")


def _user_header(options: ServeOptions, limits: Limits) -> Finding:
    """Check who can sign people in by a header."""
    about, header = "user header", options.user_header
    if options.no_web:
        return Finding(
            NOTE, about, f"{header} signs nobody in where no pages are served; take user-header or no-web away"
        )
    if not limits.trusted:
        todo = "name the proxy's address in trusted of [limits]"
        return Finding(WRONG, about, f"{header} is believed of nobody: no network is trusted; {todo}")
    wide = [network for network in limits.trusted if network.num_addresses > 1 and not network.is_loopback]
    if wide:
        todo = "trust the address of the proxy alone"
        return Finding(WRONG, about, f"any host of {wide[0]} can sign in as anybody by {header}; {todo}")
    trusted = ", ".join(map(str, limits.trusted))
    todo = "the proxy there has to remove it from what browsers send, and nobody else may run programs there"
    return Finding(GOOD, about, f"{header} is believed of {trusted}: {todo}")


def _ladder(path: Path) -> Finding:
    try:
        found = ladder.read_file(path)
    except BadTable as error:
        return Finding(WRONG, "ladder", str(error))
    missing = [program for program in found.programs if not Path(program.folder).is_dir()]
    if missing:
        sentence = f"{path}: the folder of {missing[0].name} is not there: {missing[0].folder}"
        return Finding(WRONG, "ladder", sentence)
    if found.sandbox is Sandbox.SEALED and sandbox_obstacle():
        return Finding(WRONG, "ladder", f"{path} seals programs, which this machine cannot: see sandbox")
    named = f"{number_of(len(found.levels), 'level')} and {number_of(len(found.programs), 'program')}"
    return Finding(
        GOOD, "ladder", f"{path} has {number_of(len(found.variants), 'game')}, {named} beside the bots of the league"
    )


def _files(folder: Path) -> list[Path]:
    """Return the files of matches in a folder, in order."""
    paths = [path for path in folder.glob(f"*{SUFFIX}") if path.stem.isdecimal()]
    return sorted(paths, key=lambda path: int(path.stem))


def league_findings(data: Path) -> Iterator[Finding]:
    """Check the league of a data directory; yield nothing where there is none."""
    path = data / LEAGUE
    if not path.exists():
        return
    for place, what in ((path, "who is signed in"), (data / FOLDER, "all bots")):
        if place.exists() and place.stat().st_mode & 0o077:
            yield Finding(WRONG, "league", f"others here can look at {what}, in {place}; chmod go= {place}")
    finding, rows = _database(
        path,
        "league",
        """SELECT bots.name, number FROM versions JOIN bots ON bots.id = bot WHERE state = 'active'
        ORDER BY bots.name""",
        "SELECT count(*) FROM versions WHERE state != 'deleted'",
    )
    yield finding
    if rows and rows[1][0][0]:
        yield from _versions(data / FOLDER, rows[0], rows[1][0][0])


def _versions(folder: Path, active: list[tuple[str, int]], count: int) -> Iterator[Finding]:
    builds = {f"version {number} of {bot}": folder / bot.lower() / str(number) / BUILD for bot, number in active}
    missing = [version for version, build in builds.items() if not build.is_dir()]
    if missing:
        sentence = f"the files of {_named(missing)} are missing, which should play; take them from a backup"
        yield Finding(WRONG, "versions", sentence)
    closed = [place for place, _, _ in os.walk(folder) if not os.access(place, os.R_OK | os.W_OK | os.X_OK)]
    if closed:
        yield Finding(
            WRONG, "versions", f"{closed[0]} cannot be written to; let the user that runs the server write there"
        )
    if not missing and not closed:
        used = disk_use(folder)
        many = number_of(count, "version has", "versions have")
        yield Finding(GOOD, "versions", f"{many} {used.size / MEGABYTE:.0f} MB on the disk")
    if why := sandbox_obstacle():
        yield Finding(NOTE, "versions", f"versions of bots wait until they can be tried in a sandbox: {why}")


def _named(all_of_them: list[str]) -> str:
    return ", ".join(all_of_them[:MAX_NAMED]) + (" and others" if len(all_of_them) > MAX_NAMED else "")

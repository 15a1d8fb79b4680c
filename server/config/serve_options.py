"""The options of ``arena-server serve``, declared once: for the command line, the configuration file and doctor.

The configuration file, in TOML, has these options, and the tables ``[tls]``, ``[limits]`` and ``[league]``. Options
of the command line override options of the file. Paths in the file are relative to its folder.
"""

from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from cyclopts import Parameter

from engine.commands.program import duration
from engine.wire.messages import MICROSECONDS, PORT
from server.config.declared import (
    Range,
    TextForm,
    TomlTable,
    faults_named,
    fields_of,
    read_fields,
    read_table,
    read_text,
    read_toml,
)
from server.config.settings import (
    BUDGET,
    INCREMENT,
    MAX_ALLOWANCE,
    MAX_MOVES,
    MAX_SECONDS,
    MAX_SYNC_SECONDS,
    MOVE_LIMIT,
    SYNC_SECONDS,
    WEB,
    LeagueRules,
    Limits,
    Network,
)

MAX_PORT = 65535

PORTS = Range(0, MAX_PORT)
PATH = TextForm(r"[^\x00]+", "the path of a file or folder")
PLACE = TextForm(r"[^\s\x00-\x1f]+:[0-9]+", f'an address and a port, as in "{WEB}"')
BOTS = TextForm(".+", 'a list of bots, as in ["alphabeta:3", "random:arrows"]')


DURATION = Parameter(validator=duration)
"""Check of a time on the command line. It does not apply to defaults."""


TLS = "tls_"
"""Prefix of options on the command line that stand in ``[tls]`` in a file."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """Options of ``arena-server serve``, without the configuration file.

    Parameters
    ----------
    host
        Address to listen on; 0.0.0.0 for every one.
    port
        Port to listen on; 0 lets the system choose one.
    data
        Directory for the records; made where it is missing.
    budget
        Milliseconds that a side has for a whole game, where the players ask for no other.
    increment
        Milliseconds that a move adds to it.
    move_limit
        Moves, both sides' counted, after which a match is a draw.
    builtin
        Built-in bots that wait for opponents, separated by commas: KIND[:LEVEL][:GAME], as in
        alphabeta,alphabeta:3,random:arrows. Levels are 1 to 10.
    tokens
        File of the players' tokens, made by arena-server token. Without it, no token is needed to log in.
    organiser
        File of the organiser's token, made by arena-server organiser-token. Without it nobody can organise.
    grace
        Seconds that running matches get to end when the server is stopped.
    lag_allowance
        Largest network latency, in milliseconds, that clocks do not charge for a turn. The server measures it.
    return_time
        Seconds that a server waits, with stopped clocks, for players to return to matches after a crash.
    sync_interval
        Seconds between two syncs of records and the database. A power cut may lose this much. 0 never syncs.
    delay_moves
        Moves that spectators see later than the players, so that they cannot help.
    live_notes
        Show spectators the notes of players during the match, delayed like the moves. Without it, they see notes after
        the match.
    tls_cert
        Certificate to encrypt all connections with, in PEM, the chain behind it.
    tls_key
        The key of that certificate, in PEM, without a password.
    metrics
        Port on this machine for figures in the format of Prometheus, and /health.
    web
        Address and port of the pages for browsers, 127.0.0.1:8080 when left out; port 0 lets the system choose one.
    no_web
        Serve no pages.
    ladder
        File of a ladder, docs/league.md, that is played whenever cores are free.
    user_header
        Header of HTTP in which a proxy sends the name of a signed-in user, as in X-Remote-User. It counts only from
        trusted networks. A name without an account gets one.
    verbose
        Log more.
    log_json
        Log objects of JSON, one a line.
    """

    host: Annotated[str, TextForm(r"[^\s\x00-\x1f]+", 'an address to listen on, as in "0.0.0.0"')] = "127.0.0.1"
    port: Annotated[int, PORTS] = PORT
    data: Annotated[Path, PATH] = Path("arena-data")
    budget: Annotated[int, BUDGET] = 60_000
    increment: Annotated[int, INCREMENT] = 0
    move_limit: Annotated[int, MOVE_LIMIT] = 1000
    builtin: Annotated[str, BOTS] = ""
    tokens: Annotated[Path | None, PATH] = None
    organiser: Annotated[Path | None, PATH] = None
    grace: Annotated[float, Range(0, MAX_SECONDS, "seconds"), DURATION] = 0.0
    lag_allowance: Annotated[int, Range(0, MAX_ALLOWANCE // MICROSECONDS, "milliseconds")] = 0
    return_time: Annotated[float, Range(0, MAX_SECONDS, "seconds"), DURATION] = 30.0
    sync_interval: Annotated[float, Range(0, MAX_SYNC_SECONDS, "seconds"), DURATION] = SYNC_SECONDS
    delay_moves: Annotated[int, Range(0, MAX_MOVES, "moves")] = 0
    live_notes: bool = False
    tls_cert: Annotated[Path | None, PATH] = None
    tls_key: Annotated[Path | None, PATH] = None
    metrics: Annotated[int | None, PORTS] = None
    web: Annotated[str | None, PLACE] = None
    no_web: bool = False
    ladder: Annotated[Path | None, PATH] = None
    user_header: Annotated[
        str, TextForm(r"[A-Za-z][A-Za-z0-9-]{0,63}", 'the name of a header of HTTP, as in "X-Remote-User"')
    ] = ""
    verbose: bool = False
    log_json: bool = False


class Configuration(NamedTuple):
    """Content of a configuration file."""

    values: dict[str, Any]
    """Options of `ServeOptions` that are in the file, by attribute name."""
    limits: Limits
    league: LeagueRules = LeagueRules()

    @property
    def options(self) -> dict[str, Any]:
        """The same as options of the command line, by their names there, without the dashes before them."""
        return {
            name.replace("_", "-"): str(value) if isinstance(value, Path) else value
            for name, value in self.values.items()
        }


def read(path: Path) -> Configuration:
    """Read a configuration file; raises `BadTable` with a sentence that names file, key and what would be right."""
    with faults_named(path):
        return _configuration(read_toml(read_text(path), "a configuration file"), path.parent)


def _configuration(file: TomlTable, folder: Path) -> Configuration:
    fields = [*fields_of(ServeOptions)]
    readers = {"builtin": lambda table, key: ",".join(table.texts(key, BOTS.right))}
    found = read_fields(file, [field for field in fields if not field.name.startswith(TLS)], readers)
    if file.has("tls"):
        tls = file.table("tls")
        within = [field for field in fields if field.name.startswith(TLS)]
        found |= read_fields(tls, [field._replace(key=field.name.removeprefix(TLS)) for field in within])
        tls.finish()
    limits = read_table(file.table("limits"), Limits, {"trusted": _networks}) if file.has("limits") else Limits()
    league = read_table(file.table("league"), LeagueRules) if file.has("league") else LeagueRules()
    file.finish()
    options = {name: folder / value if isinstance(value, Path) else value for name, value in found.items()}
    return Configuration(options, limits, league)


def _networks(table: TomlTable, key: str) -> tuple[Network, ...]:
    right = 'a list of networks, as in ["127.0.0.0/8", "::1", "192.168.7.0/24"]'
    try:
        return tuple(ip_network(text) for text in table.texts(key, right))
    except ValueError:
        raise table.wrong(key, right) from None

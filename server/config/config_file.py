"""The configuration file of the server: the options of ``arena-server serve``, ``[tls]`` and ``[limits]``, in TOML.

What stands on the command line goes before what stands in the file. Paths in the file are relative to its folder.
"""

import tomllib
from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path
from typing import Any, NamedTuple

from engine.clock import MICROSECONDS
from server.config.limits import LOOPBACK, MAX_ALLOWANCE, Limits, Network
from server.config.settings import MAX_BUDGET, MAX_MOVES, MAX_SYNC_SECONDS, MIN_BUDGET, WEB
from server.config.toml_table import BadTable, TomlTable

MAX_SECONDS = 7 * 86_400.0
"""Longest time that anything is waited for: a week."""

MOST = 1_000_000
"""Largest number of connections, messages and matches that a limit may be set to."""

MILLISECONDS = MAX_BUDGET // MICROSECONDS
PATH = "the path of a file or folder"

Reader = Callable[[TomlTable, str], Any]


def _number(least: int, most: int, unit: str = "") -> Reader:
    return lambda table, key: table.number(key, least, most, unit=unit)


def _seconds(table: TomlTable, key: str) -> float:
    return table.decimal(key, 0, MAX_SECONDS, unit="seconds")


def _sync(table: TomlTable, key: str) -> float:
    return table.decimal(key, 0, MAX_SYNC_SECONDS, unit="seconds")


def _host(table: TomlTable, key: str) -> str:
    return table.text(key, r"[^\s\x00-\x1f]+", 'an address to listen on, as in "0.0.0.0"')


def _place(table: TomlTable, key: str) -> str:
    return table.text(key, r"[^\s\x00-\x1f]+:[0-9]+", f'an address and a port, as in "{WEB}"')


def _path(table: TomlTable, key: str) -> Path:
    return Path(table.text(key, r"[^\x00]+", PATH))


def _list(table: TomlTable, key: str) -> str:
    return ",".join(table.texts(key, 'a list of bots, as in ["alphabeta", "random:arrows"]'))


def _truth(table: TomlTable, key: str) -> bool:
    return table.truth(key)


OPTIONS: dict[str, Reader] = {
    "host": _host,
    "port": _number(0, 65535),
    "data": _path,
    "budget": _number(MIN_BUDGET // MICROSECONDS, MILLISECONDS, "milliseconds"),
    "increment": _number(0, MILLISECONDS, "milliseconds"),
    "move-limit": _number(1, MAX_MOVES, "moves of both sides"),
    "lag-allowance": _number(0, MAX_ALLOWANCE // MICROSECONDS, "milliseconds"),
    "builtin": _list,
    "tokens": _path,
    "organiser": _path,
    "grace": _seconds,
    "return-time": _seconds,
    "sync-interval": _sync,
    "delay-moves": _number(0, MAX_MOVES, "moves"),
    "metrics": _number(0, 65535),
    "web": _place,
    "no-web": _truth,
    "verbose": _truth,
    "log-json": _truth,
}
"""Options of the command line that the file may have, as they are called there."""

FORMER_NAMES = {"house": "builtin"}
"""Former names of options, which are still read, and what they are called now."""

TLS_OPTIONS: dict[str, Reader] = {"cert": _path, "key": _path}
"""Options in ``[tls]``; on the command line they begin with ``tls-``."""


class Configuration(NamedTuple):
    """What a configuration file says."""

    options: dict[str, Any]
    """Options of the command line that are in the file, by their names there, without the dashes before them."""
    limits: Limits


def read(path: Path) -> Configuration:
    """Read a configuration file; raises `BadTable` with a sentence that names file, key and what would be right."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadTable(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadTable(f"{path} is no UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise BadTable(f"{path} is no TOML: {error}") from None
    try:
        return _configuration(TomlTable(values, "", "a configuration file"), path.parent)
    except BadTable as error:
        raise BadTable(f"{path}: {error}") from None


def _configuration(file: TomlTable, folder: Path) -> Configuration:
    found = _options(file, OPTIONS)
    for former, name in FORMER_NAMES.items():
        if file.has(former):
            found.setdefault(name, OPTIONS[name](file, former))
    tls, limits = file.table("tls"), file.table("limits")
    if tls is not None:
        found |= {f"tls-{name}": value for name, value in _options(tls, TLS_OPTIONS).items()}
        tls.finish()
    read_limits = Limits() if limits is None else _limits(limits)
    file.finish()
    options = {name: str(folder / value) if isinstance(value, Path) else value for name, value in found.items()}
    return Configuration(options, read_limits)


def _options(table: TomlTable, options: dict[str, Reader]) -> dict[str, Any]:
    return {name: reader(table, name) for name, reader in options.items() if table.has(name)}


def _limits(table: TomlTable) -> Limits:
    usual = Limits()
    limits = Limits(
        trusted=_networks(table),
        connections=table.number("connections", 1, MOST, usual.connections),
        connects=table.number("connects", 1, MOST, usual.connects, "a second"),
        connects_at_once=table.number("connects-at-once", 1, MOST, usual.connects_at_once),
        messages=table.number("messages", 1, MOST, usual.messages, "a second"),
        messages_of_address=table.number("messages-of-address", 1, MOST, usual.messages_of_address, "a second"),
        messages_at_once=table.number("messages-at-once", 1, MOST, usual.messages_at_once),
        flood_seconds=table.decimal("flood-seconds", 0.1, MAX_SECONDS, usual.flood_seconds),
        matches=table.number("matches", 1, MOST, usual.matches),
        guest_seconds=table.decimal("guest-seconds", 1, MAX_SECONDS, usual.guest_seconds),
        line_seconds=table.decimal("line-seconds", 1, MAX_SECONDS, usual.line_seconds),
    )
    table.finish()
    return limits


def _networks(table: TomlTable) -> tuple[Network, ...]:
    right = 'a list of networks, as in ["127.0.0.0/8", "::1", "192.168.7.0/24"]'
    try:
        return tuple(ip_network(text) for text in table.texts("trusted", right, tuple(map(str, LOOPBACK))))
    except ValueError:
        raise table.wrong("trusted", right) from None

"""The configuration file of the server, in TOML: options of ``serve``, and ``[tls]``, ``[limits]`` and ``[league]``.

What stands on the command line goes before what stands in the file. Paths in the file are relative to its folder.
"""

import tomllib
from ipaddress import ip_network
from pathlib import Path
from typing import Any, NamedTuple

from server.config.declared import fields_of, read_fields, read_table
from server.config.league_rules import LeagueRules
from server.config.limits import Limits, Network
from server.config.serve_options import BOTS, ServeOptions
from server.config.toml_table import BadTable, TomlTable

TLS = "tls_"
"""What names of options in ``[tls]`` begin with elsewhere."""


class Configuration(NamedTuple):
    """What a configuration file says."""

    values: dict[str, Any]
    """Those of `ServeOptions` that are in the file, by their names as attributes."""
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
    fields = [*fields_of(ServeOptions)]
    found = read_fields(file, [field for field in fields if not field.name.startswith(TLS)], {"builtin": _bots})
    if file.has("tls"):
        tls = file.table("tls")
        within = [field for field in fields if field.name.startswith(TLS)]
        found |= read_fields(tls, [field._replace(key=field.name.removeprefix(TLS)) for field in within])
        tls.finish()
    limits = Limits()
    if file.has("limits"):
        limits = read_table(file.table("limits"), Limits, {"trusted": _networks})
    league = read_table(file.table("league"), LeagueRules) if file.has("league") else LeagueRules()
    file.finish()
    options = {name: folder / value if isinstance(value, Path) else value for name, value in found.items()}
    return Configuration(options, limits, league)


def _bots(table: TomlTable, key: str) -> str:
    return ",".join(table.texts(key, BOTS.right))


def _networks(table: TomlTable, key: str) -> tuple[Network, ...]:
    right = 'a list of networks, as in ["127.0.0.0/8", "::1", "192.168.7.0/24"]'
    try:
        return tuple(ip_network(text) for text in table.texts(key, right))
    except ValueError:
        raise table.wrong(key, right) from None

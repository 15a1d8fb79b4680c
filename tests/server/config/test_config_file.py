"""The configuration file and the names of built-in bots: one sentence about what is wrong."""

import re
from ipaddress import ip_network
from pathlib import Path

import msgspec
import pytest
import trio
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.wire.words import NAME_PATTERN
from server import cli
from server.config import serve_options
from server.config.builtin_bot import BuiltinBot, builtin_bot_named, read_builtin_bot
from server.config.settings import LeagueRules, Limits

NOT_IN_THE_FILE = {"config"}


def _written(folder: Path, text: str) -> Path:
    path = folder / "arena.toml"
    path.write_text(text)
    return path


def test_every_option_of_the_command_line_may_stand_in_the_file(tmp_path: Path) -> None:
    line = cli.app["serve"].assemble_argument_collection(parse_docstring=False)
    on_command_line = {argument.name.removeprefix("--") for argument in line if argument.show}
    values = {"host": "'h'", "web": "'h:1'", "builtin": "['random']", "user-header": "'X-User'"}
    values |= dict.fromkeys(("data", "tokens", "organiser", "ladder", "tls-cert", "tls-key"), "'/p'")
    values |= dict.fromkeys(("no-web", "live-notes", "verbose", "log-json"), "true")
    keys = sorted(on_command_line - NOT_IN_THE_FILE)
    top = [f"{key} = {values.get(key, 10)}" for key in keys if not key.startswith("tls-")]
    tls = [f"{key.removeprefix('tls-')} = {values[key]}" for key in keys if key.startswith("tls-")]
    found = serve_options.read(_written(tmp_path, "\n".join([*top, "[tls]", *tls])))
    assert len(keys) == 24 and keys == sorted(found.options)


def test_every_limit_may_be_set(tmp_path: Path) -> None:
    values = {name.replace("_", "-"): 7 for name in Limits.__struct_fields__ if name != "trusted"}
    text = "[limits]\ntrusted = ['10.0.0.0/8', 'fd00::/8']\n" + "".join(f"{key} = {n}\n" for key, n in values.items())
    limits = serve_options.read(_written(tmp_path, text)).limits
    assert limits.trusted == (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))
    assert {value for name, value in msgspec.structs.asdict(limits).items() if name != "trusted"} == {7}


def test_every_rule_of_a_league_may_be_set(tmp_path: Path) -> None:
    keys = [name.replace("_", "-") for name in LeagueRules.__struct_fields__]
    found = serve_options.read(_written(tmp_path, "[league]\n" + "".join(f"{key} = 7\n" for key in keys))).league
    assert found == LeagueRules(quota=7, built_versions=7, log_days=7)
    assert serve_options.read(_written(tmp_path, "")).league == LeagueRules()


def test_a_mark_at_the_beginning_as_some_editors_write_it_is_no_part_of_the_file(tmp_path: Path) -> None:
    assert serve_options.read(_written(tmp_path, "\ufeffdata = '/records'")).options == {"data": "/records"}


def test_paths_are_relative_to_the_folder_of_the_file(tmp_path: Path) -> None:
    text = "data = 'records'\ntokens = '/etc/tokens'\nbuiltin = ['random', 'random:mnk']\n[tls]\ncert = 'c'\nkey = 'k'"
    assert serve_options.read(_written(tmp_path, text)).options == {
        "data": str(tmp_path / "records"),
        "tokens": "/etc/tokens",
        "builtin": "random,random:mnk",
        "tls-cert": str(tmp_path / "c"),
        "tls-key": str(tmp_path / "k"),
    }


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("port = 70000", snapshot("BadTable: arena.toml: port is a whole number from 0 to 65535, not 70000")),
        (
            "budget = '1'",
            snapshot("BadTable: arena.toml: budget is a whole number from 10 to 86400000 milliseconds, not '1'"),
        ),
        (
            "prot = 1",
            snapshot(
                "BadTable: arena.toml: prot is no key of a configuration file; these are host, port, data, budget, increment, move-limit, builtin, tokens, organiser, grace, lag-allowance, return-time, sync-interval, delay-moves, live-notes, metrics, web, no-web, ladder, user-header, verbose, log-json, tls, limits, league; did you mean port?"
            ),
        ),
        (
            "builtin = 'random'",
            snapshot(
                'BadTable: arena.toml: builtin is a list of bots, as in ["alphabeta:3", "random:arrows"], not \'random\''
            ),
        ),
        ("verbose = 1", snapshot("BadTable: arena.toml: verbose is true or false, not 1")),
        ("grace = -1", snapshot("BadTable: arena.toml: grace is a number from 0 to 604800 seconds, not -1")),
        ("grace = nan", snapshot("BadTable: arena.toml: grace is a number from 0 to 604800 seconds, not nan")),
        ("port = 80.0", snapshot("BadTable: arena.toml: port is a whole number from 0 to 65535, not 80.0")),
        ("metrics = true", snapshot("BadTable: arena.toml: metrics is a whole number from 0 to 65535, not True")),
        (
            "web = 'here'",
            snapshot("BadTable: arena.toml: web is an address and a port, as in \"127.0.0.1:8080\", not 'here'"),
        ),
        ("data = ''", snapshot("BadTable: arena.toml: data is the path of a file or folder, not ''")),
        (
            "tls-cert = 'x'",
            snapshot(
                "BadTable: arena.toml: tls-cert is no key of a configuration file; these are host, port, data, budget, increment, move-limit, builtin, tokens, organiser, grace, lag-allowance, return-time, sync-interval, delay-moves, live-notes, metrics, web, no-web, ladder, user-header, verbose, log-json, tls, limits, league"
            ),
        ),
        (
            "host = 'a b'",
            snapshot("BadTable: arena.toml: host is an address to listen on, as in \"0.0.0.0\", not 'a b'"),
        ),
        ("tls = 1", snapshot("BadTable: arena.toml: tls is a table, as [tls], not 1")),
        (
            "[tls]\ncertificate = 'x'",
            snapshot("BadTable: arena.toml: tls.certificate is no key of tls; these are cert, key"),
        ),
        (
            "[limits]\nmatches = 0",
            snapshot("BadTable: arena.toml: limits.matches is a whole number from 1 to 1000000, not 0"),
        ),
        (
            "[limits]\nguest-seconds = true",
            snapshot("BadTable: arena.toml: limits.guest-seconds is a number from 1 to 604800, not True"),
        ),
        (
            "[limits]\ntrusted = ['127.0.0.1/8']",
            snapshot(
                'BadTable: arena.toml: limits.trusted is a list of networks, as in ["127.0.0.0/8", "::1", "192.168.7.0/24"], not [\'127.0.0.1/8\']'
            ),
        ),
        (
            "[limit]\nmatches = 1",
            snapshot(
                "BadTable: arena.toml: limit is no key of a configuration file; these are host, port, data, budget, increment, move-limit, builtin, tokens, organiser, grace, lag-allowance, return-time, sync-interval, delay-moves, live-notes, metrics, web, no-web, ladder, user-header, verbose, log-json, tls, limits, league; did you mean limits?"
            ),
        ),
        (
            "port 1",
            snapshot(
                "BadTable: arena.toml: this is no TOML: Expected '=' after a key in a key/value pair (at line 1, column 6)"
            ),
        ),
        ("port = \x00", snapshot("BadTable: arena.toml: this is no TOML: Invalid value (at line 1, column 8)")),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with raises(sentence):
        serve_options.read(_written(Path(), text))


def test_command_line_goes_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _written(tmp_path, "port = 0\nbudget = 5000\nincrement = 7\nhost = '192.0.2.1'\n[limits]\nmatches = 3")
    seen = []
    monkeypatch.setattr(trio, "run", lambda _serve, settings, *_others: seen.append(settings))
    monkeypatch.setattr(cli, "configure", lambda **_options: None)
    cli.app(["serve", "--budget", "6000", "--config", str(path)], result_action="return_value")
    assert (seen[0].port, seen[0].host, seen[0].limits.matches) == (0, "192.0.2.1", 3)
    assert seen[0].control.milliseconds == (6000, 7)


@pytest.mark.parametrize(
    ("text", "bot", "name"),
    [
        ("random", BuiltinBot("random"), "random"),
        ("random:arrows", BuiltinBot("random", None, "arrows"), "random-arrows"),
        ("alphabeta:3", BuiltinBot("alphabeta", 3), "alphabeta-3"),
        ("alphabeta:10", BuiltinBot("alphabeta", 10), "alphabeta-10"),
        ("alphabeta:3:arrows", BuiltinBot("alphabeta", 3, "arrows"), "alphabeta-3-arrows"),
        ("alphabeta:3:gipf", BuiltinBot("alphabeta", 3), "alphabeta-3"),
        ("alphabeta:mnk", BuiltinBot("alphabeta", None, "mnk"), "alphabeta-mnk"),
    ],
)
def test_kind_level_and_game_are_read_and_make_the_name(text: str, bot: BuiltinBot, name: str) -> None:
    assert read_builtin_bot(text) == bot == builtin_bot_named(name)
    assert bot.name == name
    assert re.fullmatch(NAME_PATTERN, name)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", snapshot("BadBuiltinBot: there is no bot ''; there is alphabeta, random")),
        ("alfabeta:3", snapshot("BadBuiltinBot: there is no bot 'alfabeta'; there is alphabeta, random")),
        ("random:3", snapshot("BadBuiltinBot: 'random:3': random has no levels; alphabeta has those from 1 to 10")),
        (
            "alphabeta:11",
            snapshot("BadBuiltinBot: 'alphabeta:11': the level is '11', but it has to be a whole number from 1 to 10"),
        ),
        (
            "alphabeta:3x",
            snapshot("BadBuiltinBot: 'alphabeta:3x': the level is '3x', but it has to be a whole number from 1 to 10"),
        ),
        (
            "alphabeta:",
            snapshot("BadBuiltinBot: 'alphabeta:': there is no game ''; there is gipf, arrows, morris, mnk"),
        ),
        (
            "alphabeta:3:halma",
            snapshot(
                "BadBuiltinBot: 'alphabeta:3:halma': there is no game 'halma'; there is gipf, arrows, morris, mnk"
            ),
        ),
        (
            "alphabeta:mnk:3",
            snapshot(
                "BadBuiltinBot: 'alphabeta:mnk:3' is no bot: one is written KIND:LEVEL:GAME, as in alphabeta:3:gipf"
            ),
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text: str, sentence: str) -> None:
    with raises(sentence):
        read_builtin_bot(text)

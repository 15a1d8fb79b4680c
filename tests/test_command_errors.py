"""What is wrong with a command line: the sentence and the exit status, for all commands of the three programs."""

import io
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from inline_snapshot import snapshot

import bots.cli
import engine.cli
import server.cli
from engine.solve import tablebase
from engine.wire.seat import Seat, environment_variables
from tests.engine.records import Table, records

BOT = "def choose(position, clocks):\n    return position.legal_moves[0]\n"

RECORD = Table("mnk", "3 3 3").ready().play("b2", "a1", "c1", "a3", "a2").resign(1)

FILES = {
    "17.txt": RECORD,
    "wrong.txt": RECORD.replace(" c1\n", " c1c1\n"),
    "early.txt": records()["time while initialising"],
    "alice.py": BOT,
    "other.py": BOT,
    "taken/mine": "",
    "records/1.txt": "",
    "file": "",
}
"""The folder in which the commands are run."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of all tests of this file. At the end its files have the same contents."""
    folder = tmp_path_factory.mktemp("folder")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    yield folder
    for path in folder.rglob("*"):
        assert path.is_dir() or path.read_text(encoding="utf-8") == FILES[str(path.relative_to(folder))]


@pytest.fixture
def _in_a_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Work in the folder, to which no file is added; handle Ctrl-C afterwards as before."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RECORD.encode())))
    for variable in environment_variables(Seat("", 0, "", "")):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv(tablebase.DIRECTORY_VARIABLE, str(folder))
    for module in ("server.cli", "server.commands.contest"):  # loggers would keep the output of this test
        monkeypatch.setattr(f"{module}.configure", lambda **_: None)
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)
    assert {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()} == FILES.keys()


def ended(program: str, words: list[str], patch: pytest.MonkeyPatch) -> object:
    """Run a program in this process; return its exit status."""
    try:
        if program == "arena-engine":
            return engine.cli.run(words)
        if program == "arena-bot":
            bots.cli.main(words)
        else:
            patch.setattr(sys, "argv", [program, *words])
            server.cli.main()
    except SystemExit as leaving:
        return leaving.code
    return 0


@pytest.mark.usefixtures("_in_a_folder")
@pytest.mark.parametrize(
    ("lines", "status", "sentence"),
    [
        (
            "arena-bot chess",
            2,
            snapshot(
                'Unknown command "chess". Did you mean "check"? Available commands: new, random, alphabeta, bridge, check, replay, review, submit, ...'
            ),
        ),
        ("arena-bot random --port x", 2, snapshot('Invalid value for --port: unable to convert "x" into int.')),
        ("arena-bot random --port 70000", 2, snapshot('Invalid value "70000" for --port. Must be <= 65535.')),
        ("arena-bot random --games -1", 2, snapshot('Invalid value "-1" for --games. Must be >= 0.')),
        ("arena-bot random --budget 0", 2, snapshot('Invalid value "0" for --budget. Must be >= 1.')),
        ("arena-bot random --unheard-of", 2, snapshot("Unknown option: --unheard-of.")),
        ("arena-bot random more", 2, snapshot("no argument is expected here: more")),
        (
            "arena-bot random --game halma; arena-bot alphabeta --game halma; arena-bot warm halma; arena-bot check --game halma -- bot; arena-bot bridge --game halma -- cat; arena-bot play halma; arena-bot new mybot --game halma",
            2,
            snapshot("there is no game 'halma'; there is gipf, arrows, morris, mnk"),
        ),
        (
            "arena-bot random --params 4,4; arena-bot alphabeta --params 4,4",
            2,
            snapshot("--params: GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not '4,4'"),
        ),
        ("arena-bot alphabeta --level 11", 2, snapshot('Invalid value "11" for --level. Must be <= 10.')),
        ("arena-bot warm gipf 4", 2, snapshot("PARAMS: GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not '4'")),
        ("arena-bot watch seventeen", 2, snapshot('Invalid value for MATCH: unable to convert "seventeen" into int.')),
        (
            "arena-bot check; arena-bot check --listen 2755 -- bot",
            2,
            snapshot(
                "either the bot's command is needed, as in arena-bot check -- PROGRAM {host} {port}, or --listen PORT"
            ),
        ),
        ("arena-bot check --json no/check.json -- bot", 2, snapshot("--json: there is no folder no")),
        (
            "arena-bot check --json - --junit - -- bot; arena-bot match random random --json - --junit -",
            2,
            snapshot("--json and --junit cannot both be -, which is stdout"),
        ),
        (
            "arena-bot check --build 'no-such-compiler x' -- bot",
            2,
            snapshot("--build: 'no-such-compiler x' cannot be started: no-such-compiler: No such file or directory"),
        ),
        (
            "arena-bot bridge",
            2,
            snapshot("the program to bridge is missing: arena-bot bridge [options] -- PROGRAM [arguments]"),
        ),
        (
            "arena-bot bridge --dialect arrows --game mnk -- cat",
            2,
            snapshot("--dialect arrows is for the game arrows, not for mnk"),
        ),
        (
            "arena-bot bridge --dialect greek -- cat",
            2,
            snapshot('Invalid value "greek" for --dialect. Choose from: "lines", "arrows".'),
        ),
        (
            "arena-bot play gipf --params '1 2 3 4'",
            2,
            snapshot("--params: S is 1, but boards have sides of 2 to 12 fields"),
        ),
        (
            "arena-bot play --first me",
            2,
            snapshot("a player is person, bot, bot:SECONDS or level:NUMBER, as in bot:0.5 or level:3; not 'me'"),
        ),
        ("arena-bot play --time 9999", 2, snapshot('Invalid value "9999.0" for --time. Must be <= 3600.0.')),
        ("arena-bot play --load /nowhere", 2, snapshot("/nowhere: cannot be read: No such file or directory")),
        (
            "arena-bot play --load x --params '4 4 15 15'",
            2,
            snapshot("--params and --load exclude each other: a position names its own parameters"),
        ),
        ("arena-bot check --only halma -- bot", 1, snapshot("no situation has 'halma' in its title")),
        (
            "arena-bot check -- no-such-program",
            1,
            snapshot("the program no-such-program cannot be started: No such file or directory"),
        ),
        (
            "arena-bot random --port 1; arena-bot watch --port 1; arena-bot bridge --port 1 -- cat",
            1,
            snapshot(
                "no server at 127.0.0.1 port 1: Connection refused; ARENA_HOST and ARENA_PORT name another one, and arena-bot match mybot.py random plays without a server"
            ),
        ),
        (
            "arena-bot log 17",
            2,
            snapshot("whose log? --token TOKEN, or, on a server without tokens, --name NAME is needed"),
        ),
        (
            "arena-bot new 'a b'",
            2,
            snapshot("NAME is 'a b'; a bot's name is 1 to 32 letters, digits, and any of _ . - behind the first"),
        ),
        (
            "arena-bot new ../x",
            2,
            snapshot("NAME is '../x'; a bot's name is 1 to 32 letters, digits, and any of _ . - behind the first"),
        ),
        (
            "arena-bot new mybot --language perl",
            2,
            snapshot(
                'Invalid value "perl" for --language. Choose from: "python", "c", "cpp", "java", "javascript", "rust", "go".'
            ),
        ),
        (
            "arena-bot new bots",
            2,
            snapshot("NAME is 'bots': Python would import bots.py in place of the module bots; choose bots_bot"),
        ),
        (
            "arena-bot new random",
            2,
            snapshot(
                "NAME is 'random': Python would import random.py in place of the module random; choose random_bot"
            ),
        ),
        (
            "arena-bot new taken",
            1,
            snapshot(
                "taken cannot be made: it exists already, and is left as it is: choose another name, or remove it"
            ),
        ),
        ("arena-bot new", 2, snapshot('Command "new" parameter NAME requires an argument.')),
        (
            "arena-bot replay none.txt alice.py; arena-bot review none.txt",
            2,
            snapshot("none.txt: cannot be read: No such file or directory"),
        ),
        (
            "arena-bot replay 17.txt other.py",
            2,
            snapshot("0 of alice (first) and bob (second) have the name other: say by --side whose turns to replay"),
        ),
        ("arena-bot replay 17.txt alice.py --side white", 2, snapshot("--side is first or second here, not white")),
        ("arena-bot replay 17.txt alice.py --ply 2", 2, snapshot("alice (first) was to move at 1, 3, 5")),
        (
            "arena-bot replay early.txt alice.py",
            2,
            snapshot("alice (white) was to move nowhere: the match was not begun"),
        ),
        ("arena-bot replay 17.txt ''", 2, snapshot("the bot is '', but it has to be a Python file, as in mybot.py")),
        (
            "arena-bot replay 17.txt ./alice --side first",
            2,
            snapshot("the bot is './alice', but it has to be a Python file, as in mybot.py"),
        ),
        (
            "arena-bot replay - alice.py --debugger",
            2,
            snapshot("--debugger reads standard input itself: name a file of the record"),
        ),
        (
            "arena-bot replay 17.txt alice.py --json none/x; arena-bot review 17.txt --json none/x; arena-bot match random random --json none/a.json",
            2,
            snapshot("--json: there is no folder none"),
        ),
        ("arena-bot review", 2, snapshot('Command "review" parameter RECORD requires an argument.')),
        (
            "arena-bot review 17 --data none",
            2,
            snapshot("the data directory none has no match 17; --data names another one"),
        ),
        ("arena-bot review 17 --data .", 2, snapshot("the data directory . has no match 17; --data names another one")),
        (
            "arena-bot review http://127.0.0.1:1/match/1",
            2,
            snapshot("http://127.0.0.1:1/api/matches/1/record: Connection refused"),
        ),
        ("arena-bot review http://", 2, snapshot("http://: no host given")),
        (
            "arena-bot review wrong.txt",
            2,
            snapshot(
                "wrong.txt: line 21: alice (first) played 'c1c1', 'c1c1' names no field; a move is a column's letter and a row's number, as in a1"
            ),
        ),
        ("arena-bot review 17.txt --nodes 0", 2, snapshot('Invalid value "0" for --nodes. Must be >= 1.')),
        (
            "arena-bot match random",
            2,
            snapshot("a match has 2 to 50 players, not 1, as in arena-bot match mybot.py alphabeta:1"),
        ),
        ("arena-bot match random nobody.py", 2, snapshot("there is no file nobody.py")),
        (
            "arena-bot match random random --game gpif",
            2,
            snapshot("--game: there is no game 'gpif'; there is gipf, arrows, morris, mnk"),
        ),
        (
            "arena-bot match random random --params 3,3",
            2,
            snapshot("--params: GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not '3 3'"),
        ),
        (
            "arena-bot match random random --games 3",
            2,
            snapshot("--games is 3, but games come in pairs: 2 or 4 would be right"),
        ),
        (
            "arena-bot match random random --game mnk --params 3,3,3 --params 4,4,3 --games 10",
            2,
            snapshot("--games is 10, but games come in pairs in each of 2 variants: 8 or 12 would be right"),
        ),
        ("arena-bot match random random --folder nowhere", 2, snapshot("--folder: there is no folder nowhere")),
        (
            "arena-bot match random random --folder . --folder . --folder .",
            2,
            snapshot("--folder is given 3 times, for 2 players"),
        ),
        (
            "arena-bot match random random --budget 1",
            2,
            snapshot("--budget is 1; it has to lie between 10 and 86400000"),
        ),
        (
            "arena-bot match random random --increment -1",
            2,
            snapshot("--increment is -1; it has to lie between 0 and 86400000"),
        ),
        (
            "arena-bot match random random --concurrency 0",
            2,
            snapshot("--concurrency is 0; it has to lie between 1 and 1000"),
        ),
        ("arena-bot match random random --plies -1", 2, snapshot("--plies is -1; it has to lie between 0 and 100")),
        (
            "arena-bot match random random --seed -1",
            2,
            snapshot("--seed is -1; it has to lie between 0 and 9223372036854775807"),
        ),
        (
            "arena-bot match random random --move-limit 0",
            2,
            snapshot("--move-limit is 0; it has to lie between 1 and 10000"),
        ),
        (
            "arena-bot match random random random --sprt 0 10",
            2,
            snapshot("--sprt compares two players, and there are 3"),
        ),
        (
            "arena-bot match random random --sprt 10 -10",
            2,
            snapshot(
                "--sprt is 10 -10; it has to be two differences in Elo, the smaller one first, within 1000, as in --sprt 0 20"
            ),
        ),
        (
            "arena-bot match random random --game mnk --params 2,2,2 --plies 4",
            2,
            snapshot("no game of m,n,k 2 2 2 goes on after so many random moves: --plies needs fewer"),
        ),
        ("arena-bot match random random --results none/a.jsonl", 2, snapshot("--results: there is no folder none")),
        (
            "arena-bot match random random --records file",
            2,
            snapshot("--records: file: it exists already, and is left as it is: choose another name, or remove it"),
        ),
        (
            "arena-bot match random random --records records",
            2,
            snapshot("--records: the folder records has the records of another match; name an empty one"),
        ),
        (
            "arena-engine chess",
            2,
            snapshot(
                'Unknown command "chess". Did you mean "check"? Available commands: perft, solve, check, verify, record, analyse, duel, selfplay, ...'
            ),
        ),
        ("arena-engine perft", 2, snapshot('Command "perft" parameter GAME requires an argument.')),
        ("arena-engine perft gipf", 2, snapshot('Command "perft" parameter --depth requires an argument.')),
        (
            "arena-engine perft chess --depth 1; arena-engine duel nodes=5 nodes=5 --game chess; arena-engine selfplay games --game chess",
            2,
            snapshot("GAME: there is no game 'chess'; there is gipf, arrows, morris, mnk"),
        ),
        (
            "arena-engine perft gipf --depth -1",
            2,
            snapshot("--depth is -1, but leaves are counted at depths of 0 and more"),
        ),
        (
            "arena-engine perft gipf --depth two",
            2,
            snapshot('Invalid value for --depth: unable to convert "two" into int.'),
        ),
        ("arena-engine perft gipf extra --depth 1", 2, snapshot("no argument is expected here: extra")),
        ("arena-engine perft gipf --depth 1 --colour", 2, snapshot("Unknown option: --colour.")),
        (
            "arena-engine perft gipf --depth 1 --params '4 4 15'",
            2,
            snapshot("--params: GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not '4 4 15'"),
        ),
        (
            "arena-engine solve gipf --params '13 4 15 15'",
            2,
            snapshot("--params: S is 13, but boards have sides of 2 to 12 fields"),
        ),
        (
            "arena-engine solve gipf --params ''",
            2,
            snapshot("--params: GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not ''"),
        ),
        (
            "arena-engine solve gipf --params '4 4 15 15' --position x",
            2,
            snapshot("--params and --position exclude each other: a position has its own parameters"),
        ),
        (
            "arena-engine solve gipf --position no/such/file",
            2,
            snapshot("no/such/file: cannot be read: No such file or directory"),
        ),
        ("arena-engine solve gipf --position .", 2, snapshot(".: cannot be read: Is a directory")),
        ("arena-engine solve gipf --position 'a\x00b'", 2, snapshot("a\x00b: cannot be read: embedded null byte")),
        (
            "arena-engine solve gipf --time 0; arena-engine analyse gipf --time 0",
            2,
            snapshot('Invalid value "0.0" for --time. Must be > 0.'),
        ),
        ("arena-engine solve gipf --time nan", 2, snapshot('Invalid value "nan" for --time. nan is no finite number')),
        ("arena-engine solve gipf --memory 1", 2, snapshot("--memory is 1, but it has to be 16 to 1048576")),
        ("arena-engine shell chess", 2, snapshot("GAME: there is no shell 'chess'; the shells are arrows, gipf, mnk")),
        ("arena-engine analyse gipf --depth 0", 2, snapshot("--depth is 0, but it has to be 1 to 64")),
        ("arena-engine analyse gipf --depth 65", 2, snapshot("--depth is 65, but it has to be 1 to 64")),
        (
            "arena-engine analyse gipf --params 1",
            2,
            snapshot("--params: GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not '1'"),
        ),
        (
            "arena-engine analyse gipf --position /nowhere",
            2,
            snapshot("/nowhere: cannot be read: No such file or directory"),
        ),
        ("arena-engine duel", 2, snapshot('Command "duel" parameter A requires an argument.')),
        ("arena-engine duel nodes=5", 2, snapshot('Command "duel" parameter B requires an argument.')),
        (
            "arena-engine duel nodes=5 speed=5",
            2,
            snapshot(
                "B: Object contains unknown field `speed`; the options are nodes, ms, depth, level, table, threads, exact, weights, as in nodes=5000,table=16"
            ),
        ),
        (
            "arena-engine duel nodes=5 nodes=5 --params '4 4'",
            2,
            snapshot("--params: GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not '4 4'"),
        ),
        (
            "arena-engine duel nodes=5 nodes=5 --games 7",
            2,
            snapshot("--games is 7, but games come in pairs: it has to be even"),
        ),
        ("arena-engine duel nodes=5 nodes=5 --games 0", 2, snapshot("--games is 0, but it has to be 2 to 1000000")),
        (
            "arena-engine duel nodes=5 nodes=5 --jobs 0; arena-engine selfplay games --jobs 0",
            2,
            snapshot("--jobs is 0, but it has to be 1 to 1000"),
        ),
        ("arena-engine duel nodes=5 nodes=5 --plies 0", 2, snapshot("--plies is 0, but it has to be 1 to 9999")),
        (
            "arena-engine duel nodes=5 nodes=5 --plies 9 --move-limit 9",
            2,
            snapshot("--move-limit is 9, but it has to be 10 to 10000"),
        ),
        (
            "arena-engine duel nodes=5 nodes=5 --balance -1",
            2,
            snapshot("--balance is -1, but it has to be 0 to 1000000"),
        ),
        (
            "arena-engine duel nodes=5 nodes=5 --elo0 5 --elo1 5",
            2,
            snapshot("--elo0 is 5.0 and --elo1 5.0, but elo0 has to be the smaller one"),
        ),
        (
            "arena-engine duel nodes=5 nodes=5 --elo1 nan",
            2,
            snapshot('Invalid value "nan" for --elo1. nan is no finite number'),
        ),
        (
            "arena-engine duel nodes=5 nodes=5 --elo1 1001",
            2,
            snapshot('Invalid value "1001.0" for --elo1. Must be <= 1000.0.'),
        ),
        ("arena-engine duel nodes=5 nodes=5 --alpha 0", 2, snapshot('Invalid value "0.0" for --alpha. Must be > 0.')),
        ("arena-engine duel nodes=5 nodes=5 --beta 0.5", 2, snapshot('Invalid value "0.5" for --beta. Must be < 0.5.')),
        (
            "arena-engine duel nodes=5 nodes=5,weights=no/such",
            2,
            snapshot("no/such: cannot be read: No such file or directory"),
        ),
        (
            "arena-engine duel nodes=5 nodes=5 --results no/such",
            2,
            snapshot("--results no/such: cannot be written: No such file or directory"),
        ),
        (
            "arena-engine duel nodes=5 nodes=5 --results .",
            2,
            snapshot("--results .: cannot be written: Is a directory"),
        ),
        (
            "arena-engine duel nodes=5 nodes=5 --game arrows --params '2 1 1 1 2 1 1 1 1 1'",
            2,
            snapshot("--params: the board has 2 columns, but it can have 4 to 10"),
        ),
        ("arena-engine selfplay games --games 0", 2, snapshot("--games is 0, but it has to be 1 to 10000000")),
        ("arena-engine selfplay games --nodes 0", 2, snapshot("--nodes is 0, but it has to be 1 to 1000000000")),
        ("arena-engine selfplay games --random 101", 2, snapshot("--random is 101, but it has to be 0 to 100")),
        ("arena-engine selfplay games --seed -1", 2, snapshot("--seed is -1, but it has to be 0 to 2147483647")),
        (
            "arena-engine selfplay games --params '2 2'",
            2,
            snapshot("--params: GIPF takes four numbers, S K GW GB, as in 4 4 15 15; not '2 2'"),
        ),
        ("arena-engine selfplay no/games", 2, snapshot("no/games: cannot be written: No such file or directory")),
        ("arena-engine verify gipf '4 4 6 6'", 2, snapshot("GIPF 4 4 6 6 has no tablebase")),
        (
            "arena-engine verify gipf '2 2 4 4' --positions 0",
            2,
            snapshot("--positions is 0, but it has to be 1 to 1000000"),
        ),
        (
            "arena-engine perft arrows --params x --depth 1",
            2,
            snapshot(
                "--params: arrows takes columns and rows, as in 8 8, or pairs for size, starts, directions and blocked fields; not 'x'"
            ),
        ),
        (
            "arena-engine perft mnk --params x --depth 1",
            2,
            snapshot("--params: m,n,k-games take three numbers, rows, columns and K, as in 3 3 3; not 'x'"),
        ),
        (
            "arena-engine perft morris --params x --depth 1",
            2,
            snapshot("--params: nine men's morris takes no parameters; not 'x'"),
        ),
        ("arena-engine perft gipf --depth 1 --wat", 2, snapshot("Unknown option: --wat.")),
        ("arena-server serve x y", 2, snapshot("no argument is expected here: x y")),
        (
            "arena-server dance",
            2,
            snapshot(
                'Unknown command "dance". Did you mean "announce"? Available commands: serve, contest, people, ladder, verify, announce, audit, now, ...'
            ),
        ),
        (
            "arena-server token a/b --tokens /nonexistent/t",
            2,
            snapshot("a name is 1 to 32 letters, digits, and any of _ . - behind the first; not 'a/b'"),
        ),
        (
            "arena-server demo --params 4,9,15,15",
            2,
            snapshot("--params: K is 9, but for S = 4 it lies between 2 and 7"),
        ),
        ("arena-server serve --budget 0", 2, snapshot("--budget is 0; it has to lie between 10 and 86400000")),
        ("arena-server serve --speed 3", 2, snapshot("Unknown option: --speed. Did you mean --user-header?")),
        ("arena-server serve --port x", 2, snapshot('Invalid value for --port: unable to convert "x" into int.')),
        (
            "arena-server serve --port 70000; arena-server contest nowhere.toml --port 70000",
            2,
            snapshot("--port is 70000; it has to lie between 0 and 65535"),
        ),
        (
            "arena-server serve --web here:00000099999",
            2,
            snapshot("--web is 'here:00000099999'; it is an address and a port, as in 127.0.0.1:8080"),
        ),
        ("arena-server contest witdraw", 2, snapshot("witdraw cannot be read: No such file or directory")),
        ("arena-server contest nosuch.toml", 2, snapshot("nosuch.toml cannot be read: No such file or directory")),
        ("arena-server contest .", 2, snapshot(". cannot be read: Is a directory")),
        (
            "arena-server contest /dev/zero",
            2,
            snapshot("/dev/zero: 'zero' is longer than 2097152 characters, the limit for this file"),
        ),
        ("arena-server serve --tokens nosuch", 2, snapshot("--tokens: nosuch: No such file or directory")),
        ("arena-server serve --config nosuch", 2, snapshot("nosuch cannot be read: No such file or directory")),
        (
            "arena-server serve --tls-cert nosuch --tls-key nosuch",
            2,
            snapshot("--tls-cert, --tls-key: nosuch cannot be read: No such file or directory"),
        ),
        (
            "arena-server serve --builtin alfabeta",
            2,
            snapshot("--builtin: there is no bot 'alfabeta'; there is alphabeta, random"),
        ),
        (
            "arena-server serve --builtin random:arows",
            2,
            snapshot("--builtin: 'random:arows': there is no game 'arows'; there is gipf, arrows, morris, mnk"),
        ),
        (
            "arena-server serve --builtin alphabeta:11",
            2,
            snapshot("--builtin: 'alphabeta:11': the level is '11', but it has to be a whole number from 1 to 10"),
        ),
        (
            "arena-server serve --builtin alphabeta:0:mnk",
            2,
            snapshot("--builtin: 'alphabeta:0:mnk': the level is '0', but it has to be a whole number from 1 to 10"),
        ),
        (
            "arena-server serve --builtin random:3",
            2,
            snapshot("--builtin: 'random:3': random has no levels; alphabeta has those from 1 to 10"),
        ),
        (
            "arena-server serve --builtin alphabeta:mnk:3",
            2,
            snapshot("--builtin: 'alphabeta:mnk:3' is no bot: one is written KIND:LEVEL:GAME, as in alphabeta:3:gipf"),
        ),
        (
            "arena-server demo --first alphabeta:x",
            2,
            snapshot("--first: 'alphabeta:x': there is no game 'x'; there is gipf, arrows, morris, mnk"),
        ),
        (
            "arena-server demo --second randon",
            2,
            snapshot("--second: there is no bot 'randon'; there is alphabeta, random"),
        ),
        (
            "arena-server contest withdraw ann --data nosuch",
            2,
            snapshot(
                "nosuch has no contests: there is no arena.sqlite3 in it; give the directory of the contest with --data"
            ),
        ),
    ],
)
def test_what_is_wrong_takes_one_sentence_and_changes_nothing(
    lines: str, status: int, sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each of some command lines."""
    for line in lines.split("; "):
        program, *words = shlex.split(line)
        found = ended(program, words, monkeypatch)
        shown = capsys.readouterr()
        (said,) = shown.err.splitlines()
        assert (found, shown.out, said.partition(": ")[0]) == (status, "", program), line
        assert said.partition(": ")[2] == sentence, line

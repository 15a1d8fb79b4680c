"""A month of the ladder, exported, is verified game by game, and each lie in it is named."""

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from engine.games.catalogue import GAMES
from engine.record import Header
from server.commands.upkeep import ladder as commands
from server.commands.upkeep.verify import verify
from server.contest.definition import Definition
from server.contest.export import container
from server.contest.export.checking import CheckedExport, open_export
from server.contest.export.container import BadExport, unpack
from server.contest.export.contents import signed
from server.contest.fixtures import Finished, Fixture
from server.contest.runtime.finished_games import game_of_record
from server.league.accounts.accounts import Accounts
from server.league.ladder.definition import published_text, read
from server.league.ladder.players import LadderPlayer
from server.league.ladder.runner import ended_game
from server.league.ladder.store import BegunGame, LadderStore
from server.league.ladder_control import LadderControl
from server.league.months.checking import verify_month
from server.league.months.contents import bounds
from server.league.months.writing import export_month
from server.match import referee
from server.storage.record_store import SUFFIX
from tests.server.contest.export.test_export import make_strange

FILE = """
time = { budget = 60_000 }
[[games]]
game = "mnk"
params = "3 3 3"
[[levels]]
level = 1
[[programs]]
name = "prog"
owner = "teacher"
command = ["secret"]
folder = "hidden"
"""

EXAMPLE = Path(__file__).with_name("november.zip")
"""The example that docs/league.md names, of a server that was killed: made once, and true for every later version."""

OCTOBER, NOVEMBER = (bounds(month)[0] for month in ("2026-10", "2026-11"))

MOVES = ("a3", "b3", "a2", "b2", "a1")
"""The side that begins has three in a line."""


def record_of(definition: Definition, fixture: Fixture, match: int, moves: Sequence[str] = MOVES) -> str:
    """Return the record of a game of m,n,k 3 3 3, in which the side that begins wins by the usual moves."""
    position = GAMES["mnk"].read(fixture.position(definition))
    header = Header(
        match, position, fixture.players, fixture.control(definition), definition.move_limit, "test/0", "today"
    )
    state, lines = referee.begin(header), [header.text()]

    def note(step: referee.Step) -> referee.State:
        lines.extend(effect.line for effect in step[1] if isinstance(effect, referee.WriteRecord))
        return step[0]

    state = note(referee.ready(note(referee.ready(state, 0, 1000)), 1, 2000))
    for ply, move in enumerate(moves):
        state = referee.start_turn(state, 3000 + 2000 * ply)
        state = note(referee.move(state, ply % 2, move, 4000 + 2000 * ply))
    return "".join(lines)


class Played:
    """A ladder of two months, over a data directory: a game an hour, whoever begins wins."""

    def __init__(self, data: Path, accounts: Accounts) -> None:
        self.date = OCTOBER
        self.data, self.accounts = data, accounts
        self.store = LadderStore(accounts, lambda: self.date)
        self.control = LadderControl(accounts, read_ladder, lambda: self.date)
        self.ladder = read(FILE, data, str)
        self.players = {"alphabeta-1": LadderPlayer("alphabeta-1", "", 500.0)}
        (data / "records").mkdir()

    def start(self) -> None:
        """Start a server."""
        changed = self.store.rate_again(self.players)
        self.control.keep_file(published_text(self.ladder), changed)

    def seat(self, name: str, version: int) -> None:
        self.players.setdefault(name, LadderPlayer(name, name[:3]))
        self.store.seat(self.players[name], version, self.players)

    def play(self, match: int, first: str, second: str, *, played: bool = True) -> None:
        self.date += 3600
        fixture = Fixture(0, 1, 0, 0, 0, (first, second))
        standings = {one.name: one.version for one in self.store.standings()}
        begun = BegunGame(match, "mnk 3 3 3", 0, (first, second), (standings[first], standings[second]))
        sha256, finished = "", Finished(fixture, None, 0, "not_started", "it did not start")
        if played:
            text = record_of(self.ladder.contest((), ""), fixture, match)
            (self.data / "records" / f"{match}{SUFFIX}").write_text(text, encoding="utf-8")
            found = game_of_record(fixture, text)
            assert found is not None
            sha256, finished = hashlib.sha256(text.encode()).hexdigest(), found
        self.store.count(ended_game(begun, finished, sha256), self.players, 3)


def read_ladder(path: Path) -> Any:
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six games in October, five in November: with a newcomer, a new version, and a game that was not played."""
    folder = tmp_path_factory.mktemp("month")
    with closing(Accounts(folder)) as accounts:
        played = Played(folder, accounts)
        played.start()
        for name in ("alphabeta-1", "ann-1", "bob-1"):
            played.seat(name, 0 if name.startswith("alpha") else 1)
        for match in range(1, 7):
            played.play(match, *(("ann-1", "bob-1"), ("bob-1", "alphabeta-1"))[match % 2])
        played.seat("bob-1", 2)
        played.date = NOVEMBER
        played.play(7, "ann-1", "bob-1")
        played.start()  # the same file: nothing is kept
        played.seat("cat-1", 0)
        played.play(8, "cat-1", "ann-1")
        played.seat("ann-1", 2)
        played.play(9, "alphabeta-1", "ann-1")
        played.play(10, "bob-1", "cat-1", played=False)
        played.play(11, "ann-1", "cat-1")
    return folder


def exported(data: Path, month: str) -> bytes:
    with closing(Accounts(data)) as accounts:
        return export_month(data, accounts, month)


def verified(packed: bytes) -> CheckedExport:
    return verify_month(open_export(packed))


def test_each_month_is_verified_without_its_server(data: Path) -> None:
    october, november = (verified(exported(data, month)) for month in ("2026-10", "2026-11"))
    assert october.verdict.differences == november.verdict.differences == ()
    assert (october.verdict.games, october.verdict.trusted) == (6, 0)
    assert (november.verdict.games, november.verdict.trusted) == (4, 1)
    assert november.contest == "the ladder in 2026-11"
    unplayed, unkept = november.verdict.unproven
    assert unkept.startswith("the pairings of 5 games, the last of which is game 11, were not kept")
    assert unplayed.startswith("game 10, match 10, bob-1 against cat-1: not_started, not played")
    assert exported(data, "2026-11") == exported(data, "2026-11")
    assert b"secret" not in unpack(exported(data, "2026-11"))[container.LADDER]


def forged(packed: bytes, folder: Path, forge: Callable[[dict[str, Any], dict[str, bytes]], None]) -> bytes:
    """Return an export in which something is a lie, signed truly by another key."""
    files = unpack(packed)
    month = json.loads(files[container.LADDER])
    forge(month, files)
    files[container.LADDER] = json.dumps(month).encode()
    signature = (container.MANIFEST, container.SIGNATURE, container.PUBLIC_KEY)
    return signed(folder, "the ladder", {name: text for name, text in files.items() if name not in signature})


def put(place: tuple[str | int, ...], value: object) -> Callable[[dict[str, Any], dict[str, bytes]], None]:
    def forge(month: Any, _files: dict[str, bytes]) -> None:
        for key in place[:-1]:
            month = month[key]
        assert month[place[-1]] != value
        month[place[-1]] = value

    return forge


def another_clock(_month: Any, files: dict[str, bytes]) -> None:
    text = files["records/8.txt"].decode()
    assert "59999.000" in text
    files["records/8.txt"] = text.replace("59999.000", "59998.000", 1).encode()


GAME_8 = "game 8, match 8, cat-1 against ann-1: "

FORGERIES: list[tuple[str, Any, list[str]]] = [
    ("score", put(("games", 1, "score"), 0.0), [GAME_8 + "score is 0.0 as kept, and 1.0 by the record"]),
    ("move", lambda _, files: files.update({"records/8.txt": files["records/8.txt"].replace(b"a2", b"c2")}),
     [GAME_8 + "the record is another one", GAME_8 + "the record is not true in line "]),
    ("clock", another_clock, [GAME_8 + "the record is another one", GAME_8 + "the record is not true in line "]),
    ("rating before", put(("games", 1, "before", 1, 0), 1.5),
     [GAME_8 + "ann-1 has 1.500 ± "]),
    ("rating after", put(("games", 1, "after", 0, 1), 77.0), [GAME_8 + "cat-1 has "]),
    ("opponent", put(("games", 1, "players", 0), "bob-1"), ["bob-1 against ann-1: the record is of cat-1 against"]),
    ("version", put(("games", 3, "versions", 0), 1), ["version 1 of bob-1 was not in play"]),
    ("start", put(("versions", 1, "elo"), 999.0), ["version 2 of ann-1, behind game 8: it began at 999.000"]),
    ("failure", put(("games", 1, "failed", 0), True), [GAME_8 + "failed is (True, False) as kept"]),
    ("date", put(("games", 1, "ended"), OCTOBER), [GAME_8 + "it ended before the game before it"]),
    ("game less", lambda month, _: month["games"].pop(1), ["stands where game 8 has to", "8.txt is of no game"]),
    ("record less", lambda _, files: files.pop("records/8.txt"), [GAME_8 + "its record is missing"]),
    ("unplayed win", put(("games", 3, "score"), 1.0), ["it was not played, and has a score all the same"]),
]  # fmt: skip


@pytest.mark.parametrize(("forge", "sentences"), [rest for _, *rest in FORGERIES], ids=[one[0] for one in FORGERIES])
def test_each_lie_is_named_although_it_is_signed(
    data: Path, tmp_path: Path, forge: Callable[[dict[str, Any], dict[str, bytes]], None], sentences: list[str]
) -> None:
    found = verified(forged(exported(data, "2026-11"), tmp_path, forge)).verdict.differences
    for sentence in sentences:
        assert any(sentence in difference for difference in found), found


def test_a_lie_about_one_line_is_one_sentence(data: Path, tmp_path: Path) -> None:
    for place in (("games", 1, "before", 1, 0), ("games", 1, "after", 0, 1), ("games", 1, "score")):
        found = verified(forged(exported(data, "2026-11"), tmp_path, put(place, 0.0))).verdict.differences
        assert len(found) == 1, found


def test_what_was_changed_after_it_was_signed_is_named(data: Path) -> None:
    files = unpack(exported(data, "2026-11"))
    files["records/8.txt"] += b"\n"
    found = verified(container.pack(files)).verdict.differences
    assert "records/8.txt is not the file that was signed: its SHA-256 differs" in found


@pytest.mark.parametrize(
    ("month", "sentence"), [("2026-13", "written as in 2026-11"), ("2027-01", "no game of the ladder ended in 2027-01")]
)
def test_a_month_without_games_is_refused(data: Path, month: str, sentence: str) -> None:
    with pytest.raises(BadExport, match=sentence):
        exported(data, month)


def said_of(file: Path, capsys: pytest.CaptureFixture[str]) -> tuple[object, list[str]]:
    """Return the exit status and the lines of ``arena-server verify``."""
    with pytest.raises(SystemExit) as ended:
        verify(file)
    return ended.value.code, capsys.readouterr().out.splitlines()


def test_the_published_example_stays_true(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = said_of(EXAMPLE, capsys)
    assert status == 0 and said[-1] == "the ladder in 2026-11: verified: 24 games"
    (unproven,) = [line for line in said if line.startswith("not to be verified: ")]
    assert "1 game was chosen and dropped" in unproven
    assert sum("plays as ann-1, sent as a file with the SHA-256" in line for line in said) == 2


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        ("records/8.txt", b" 59959.971 a2", b" 59959.972 a2",
         "the record is not true in line 21: second has 59959.971 ms left by the stamps, not 59959.972"),
        ("records/8.txt", b".666 c1", b".666 c2", "the record is not true in line 24: the board shows no end by line"),
        (container.LADDER, b'"ended": 1795600222.9102392', b'"ended": 1795600202.9102392',
         "it ended before the game before it, or in another month"),
    ],
    ids=["clock", "move", "date"],
)  # fmt: skip
def test_verify_names_the_line_of_the_published_example_that_was_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, old: bytes, new: bytes, sentence: str
) -> None:
    """By whoever has the file alone, and by somebody who signs it again."""
    files, file = unpack(EXAMPLE.read_bytes()), tmp_path / "november.zip"
    assert files[name].count(old) == 1
    files[name] = files[name].replace(old, new)
    line = f"game 7, match 8, ann-1 against dice: {sentence}"
    file.write_bytes(container.pack(files))
    status, said = said_of(file, capsys)
    assert status == 1 and {line, f"{name} is not the file that was signed: its SHA-256 differs"} <= {*said}
    file.write_bytes(forged(container.pack(files), tmp_path, lambda *_: None))
    status, said = said_of(file, capsys)
    assert status == 1 and line in said and not any("that was signed" in one for one in said)


def test_where_fixed_points_move_ratings_go_on_from_there(data: Path, tmp_path: Path) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        played = Played(tmp_path, accounts)
        played.start()
        for name in ("alphabeta-1", "ann-1"):
            played.seat(name, 0)
        played.play(1, "ann-1", "alphabeta-1")
        played.ladder = read(FILE + "[[levels]]\nlevel = 2\nelo = 900\n", tmp_path, str)
        played.players["alphabeta-2"] = LadderPlayer("alphabeta-2", "", 900.0)
        played.start()
        played.seat("alphabeta-2", 0)
        played.play(2, "alphabeta-2", "ann-1")
    verdict = verified(exported(tmp_path, "2026-10")).verdict
    assert (verdict.games, verdict.differences) == (2, ())
    assert "fixed points stand elsewhere" in verdict.unproven[0]


@pytest.mark.parametrize("seed", range(40))
def test_whatever_a_stranger_signs_is_refused_or_judged(data: Path, tmp_path: Path, seed: int) -> None:
    """A value of the month, or of its ladder file, is another one or missing: nothing else is ever raised."""
    chance = random.Random(seed)

    def forge(month: Any, _files: dict[str, bytes]) -> None:
        if seed % 2:
            ladder = json.loads(month["files"][0]["definition"])
            make_strange(ladder, chance)
            month["files"][0]["definition"] = json.dumps(ladder)
        else:
            make_strange(month, chance)

    with suppress(BadExport):
        verified(forged(exported(data, "2026-11"), tmp_path, forge))


def test_ratings_beyond_all_reason_are_not_computed_with(data: Path, tmp_path: Path) -> None:
    with pytest.raises(BadExport, match="a rating is beyond 100000 Elo"):
        verified(forged(exported(data, "2026-11"), tmp_path, put(("opening", "ann-1", 1), 1e300)))


def test_the_commands_say_what_they_do(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "november.zip"
    commands.export("2026-11", file, data=data)
    said = capsys.readouterr().out
    assert "; verified: 4 games; 1 did not take place" in said
    with pytest.raises(SystemExit) as ended:
        verify(file)
    assert ended.value.code == 0
    assert "the ladder in 2026-11: verified: 4 games" in capsys.readouterr().out
    file.write_bytes(forged(file.read_bytes(), tmp_path, put(("games", 1, "score"), 0.0)))
    with pytest.raises(SystemExit) as ended:
        verify(file)
    assert ended.value.code == 1
    assert GAME_8 + "score is 0.0 as kept, and 1.0 by the record" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        commands.export("2027-01", tmp_path / "none.zip", data=data)
    assert "no game of the ladder ended in 2027-01" in capsys.readouterr().err + str(ended.value)


def test_a_month_begins_with_what_games_that_were_played_left_behind(tmp_path: Path) -> None:
    """A game that was not played ends no time without a game, in which a rating becomes uncertain."""
    with closing(Accounts(tmp_path)) as accounts:
        played = Played(tmp_path, accounts)
        played.start()
        for name in ("alphabeta-1", "ann-1", "bob-1"):
            played.seat(name, 0)
        for match in range(1, 21):
            played.play(match, *(("ann-1", "alphabeta-1"), ("alphabeta-1", "ann-1"))[match % 2])
        played.date += 20 * 86400
        played.play(21, "bob-1", "ann-1", played=False)
        played.date = NOVEMBER
        played.play(22, "ann-1", "alphabeta-1")
        standing = played.store.standing("ann-1")
        assert standing is not None and standing.rating.deviation < 300, "else it becomes no more uncertain"
    assert verified(exported(tmp_path, "2026-11")).verdict.differences == ()


def test_a_new_version_of_who_plays_no_game_in_the_month_begins_with_the_rating_before(tmp_path: Path) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        played = Played(tmp_path, accounts)
        played.start()
        for name in ("alphabeta-1", "ann-1", "bob-1"):
            played.seat(name, 0 if name == "alphabeta-1" else 1)
        for match in range(1, 4):
            played.play(match, "bob-1", "alphabeta-1")
        played.date = NOVEMBER
        played.play(4, "ann-1", "alphabeta-1")
        played.seat("bob-1", 2)
        played.play(5, "ann-1", "alphabeta-1")
    assert verified(exported(tmp_path, "2026-11")).verdict.differences == ()

"""Contest files and their openings."""

import re
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from engine.duel import openings
from engine.games.catalogue import GAMES
from engine.match.clock import TimeControl
from server.contest.contest_file import BadContest, read
from server.contest.definition import Adjudication, Entrant, InterruptedGames, Qualification, Seeding, Stage
from server.contest.formats.meetings import Gauntlet, Ladder, RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.openings import from_moves, from_text, generated
from server.contest.plan import plan


@pytest.fixture(autouse=True)
def _few_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up soon where there are no more openings."""
    monkeypatch.setattr(openings, "TRIES", 200)


DOCUMENT = Path(__file__).parents[3] / "docs" / "contests.md"

LEAST = """
name = "least"
time = { budget = 1000 }
entrants = [{ name = "ann" }, { name = "bob" }]
games = [{ game = "mnk", params = "3 3 3" }]
stages = [{ format = "round-robin" }]
"""

WHOLE = """
name = "Autumn 2026"
seed = 7
move-limit = 400
time-losses = 2
games-at-once = 6
cores = 4
live-notes = true
seeding = "chance"
interrupted = "replay"

[time]
budget = 60_000
increment = 100

[[entrants]]
name = "ann"
token = "TOKEN"
[[entrants]]
name = "Bob"
[[entrants]]
name = "carol"
command = ["python3", "carol.py"]
[[entrants]]
name = "dave"
command = ["./dave"]

[[games]]
game = "gipf"
params = "3,3,9,9"
openings = { plies = 2, number = 5 }
[[games]]
game = "mnk"
params = "4 4 3"
openings = { moves = [["a1", "b2"], ["c3"]] }
[[games]]
game = "morris"
openings = { files = ["one.txt"] }

[[stages]]
format = "swiss"
rounds = 3
pairs = 2
[[stages]]
format = "round-robin"
cycles = 2
advance = 3
time = { budget = 5000 }
[[stages]]
format = "knockout"
advance = 2
tie-breaks = 3
tie-break-time = { budget = 1000, increment = 10 }
[[stages]]
format = "ladder"
hours = 1.5
games = 1000

[qualification]
opponents = ["random"]
time = { budget = 2000 }
bad-moves = 2

[adjudication]
from-ply = 20
seconds = 0.5
""".replace("TOKEN", "0123456789abcdef" * 4)


def load(name: str) -> str:
    if name != "one.txt":
        raise FileNotFoundError(2, "No such file or directory", name)
    return GAMES["morris"].start("").text()


def test_least_file_has_defaults() -> None:
    definition = read(LEAST, load)
    assert definition.entrants == (Entrant("ann"), Entrant("bob"))
    assert definition.stages == (Stage(RoundRobin(1), TimeControl(1_000_000)),)
    assert definition.variants[0].openings == (GAMES["mnk"].start("3 3 3").text(),)
    assert (definition.seed, definition.move_limit, definition.time_losses) == (0, 1000, 3)
    assert len(plan(definition, []).due) == 2


def test_whole_file_is_read() -> None:
    definition = read(WHOLE, load)
    assert (definition.name, definition.seed, definition.move_limit) == ("Autumn 2026", 7, 400)
    assert (definition.time_losses, definition.games_at_once, definition.cores) == (2, 6, 4)
    assert definition.live_notes and not read(LEAST, load).live_notes
    assert (definition.seeding, definition.interrupted) == (Seeding.CHANCE, InterruptedGames.REPLAY)
    assert [entrant.connects for entrant in definition.entrants] == [True, True, False, False]
    assert definition.entrants[0].token == "0123456789abcdef" * 4
    assert definition.entrants[2].command == ("python3", "carol.py")
    assert [(variant.game, variant.parameters, len(variant.openings)) for variant in definition.variants] == [
        ("gipf", "3 3 9 9", 5), ("mnk", "4 4 3", 2), ("morris", "", 1)
    ]  # fmt: skip
    usual, short = TimeControl(60_000_000, 100_000), TimeControl(5_000_000)
    assert definition.stages == (
        Stage(Swiss(3), usual, 2),
        Stage(RoundRobin(2), short, 1, 3),
        Stage(Knockout(tie_breaks=3, control=TimeControl(1_000_000, 10_000)), usual, 1, 2),
        Stage(Ladder(1000, 5400), usual),
    )
    assert definition.qualification == Qualification(("random",), TimeControl(2_000_000), 1, 2, 2)
    levelled = read(WHOLE.replace('opponents = ["random"]', 'opponents = ["random", "alphabeta:3"]'), load)
    assert levelled.qualification == Qualification(("random", "alphabeta-3"), TimeControl(2_000_000), 1, 2, 2)
    assert definition.adjudication == Adjudication(20, 0.5, 256)
    assert read(WHOLE, load) == definition


def test_challengers_are_the_first_entrant_unless_named() -> None:
    gauntlet = LEAST.replace('"round-robin"', '"gauntlet"')
    assert read(gauntlet, load).stages[0].format == Gauntlet(("ann",))
    named = gauntlet.replace('"gauntlet"', '"gauntlet", challengers = ["bob"], cycles = 4')
    assert read(named, load).stages[0].format == Gauntlet(("bob",), 4)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('name = "least"\n', "", "name is missing: the contest's name, 1 to 80 characters in one line"),
        ('"least"', '"a\\nb"', r"name is the contest's name, 1 to 80 characters in one line, not 'a\nb'"),
        ("time = { budget = 1000 }", "", "time is missing: a table with budget and increment in milliseconds"),
        ("time =", "tempo =", "tempo is no key of a contest file; these are name, seed, "),
        ("stages =", "stage =", "entrants, games, stages, qualification; did you mean stages?"),
        ("{ budget = 1000 }", "1000", "time is a table, as [time], not 1000"),
        ("budget = 1000", 'budget = "fast"', "time.budget is a whole number from 10 to 86400000 milliseconds, not"),
        ("budget = 1000", "budget = 9", "time.budget is a whole number from 10 to 86400000 milliseconds, not 9"),
        ("budget = 1000", "budget = true", "time.budget is a whole number from 10 to 86400000 milliseconds, not True"),
        ("budget = 1000", "buget = 1", "buget is no key of time; these are budget, increment; did you mean budget?"),
        ('format = "round-robin"', 'fromat = "swiss", rounds = 3', "stages[1].fromat is no key of stages[1]; "),
        ('format = "round-robin"', "rounds = 3", "stages[1].format is missing: one of round-robin, swiss, "),
        ("budget = 1000", "increment = 1", "time.budget is missing: a whole number from 10 to 86400000 milliseconds"),
        ("budget = 1000", "budget = 1000, bugdet = 1", "time.bugdet is no key of time; these are budget, increment"),
        ('name = "least"', 'name = "least"\nround = 3', "round is no key of a contest file; these are name, seed, "),
        ('name = "least"', 'name = "least"\nseed = -1', "seed is a whole number from 0 to 9223372036854775807, not -1"),
        ('name = "least"', 'name = "least"\nseeding = "elo"', "seeding is one of listed, chance, not 'elo'"),
        ('name = "least"', 'name = "least"\nmove-limit = 0', "move-limit is a whole number from 1 to 10000 moves of"),
        (', { name = "bob" }', "", "a contest has 2 to 500 entrants, not 1"),
        ('"bob"', '"b b"', "entrants[2].name is a name of 1 to 32 letters, digits, '_', '.' and '-'"),
        ('"bob"', '"ANN"', "entrants[2].name is 'ANN', the name of another entrant; capital and small "),
        ('"bob"', '"bob", command = "./bob"', "entrants[2].command is the list of a program and its arguments, not"),
        ('"bob"', '"bob", command = []', "entrants[2].command is the list of a program and its arguments, not []"),
        ('"bob"', '"bob", token = "secret"', "entrants[2].token is the SHA-256 of the entrant's token, 64 hexadecimal"),
        ('"bob"', '"bob", folder = "b"', "entrants[2]: folder needs a command"),
        ('"bob"', '"bob", version = 1', "entrants[2]: version needs version-of"),
        ('"bob"', '"bob", version-of = "b", command = ["b"]', "entrants[2]: command and version-of exclude each other"),
        ('"mnk"', '"chess"', "games[1].game is one of gipf, arrows, morris, mnk, not 'chess'"),
        ('"3 3 3"', '"3 3"', "games[1].params is '3 3': "),
        ('"3 3 3"', "3", "games[1].params is numbers, as in '4 4 15 15', not 3"),
        ('"3 3 3"', '"3 3 3", openings = {}', "games[1].openings has one of files, moves and plies, not none"),
        ('"3 3 3"', '"3 3 3", openings = { plies = 2, moves = [] }', "has one of files, moves and plies, not moves"),
        ('"3 3 3"', '"3 3 3", openings = { moves = [] }', "games[1].openings.moves is a list of one opening or more,"),
        ('"3 3 3"', '"3 3 3", openings = { moves = ["a1"] }', "games[1].openings.moves is a list of openings, each a"),
        ('"3 3 3"', '"3 3 3", openings = { moves = [["z9"]] }', "games[1].openings.moves: move 1, 'z9', cannot be"),
        ('"3 3 3"', '"3 3 3", openings = { files = ["x"] }', "games[1].openings.files: 'x' cannot be read: "),
        ('"3 3 3"', '"3 3 3", openings = { files = ["one.txt"] }', "games[1].openings.files: 'one.txt': line 1"),
        ('"3 3 3"', '"3 3 3", openings = { plies = 8 }', "games[1].openings.plies: no game of m,n,k 3 3 3 goes on"),
        ('"round-robin"', '"league"', "stages[1].format is one of round-robin, swiss, gauntlet, knockout, ladder,"),
        ('"round-robin"', '"round-robin", rounds = 3', "stages[1].rounds is no key of stages[1]; these are format,"),
        ('"round-robin"', '"swiss"', "stages[1].rounds is missing: a whole number from 1 to 1000"),
        ('"round-robin"', '"swiss", rounds = 2', "stages[1].rounds is 2, but of 2 entrants some would meet twice"),
        ('"round-robin"', '"ladder"', "stages[1] is a ladder without an end: it needs games, hours, or both"),
        ('"round-robin"', '"ladder", hours = 0', "stages[1].hours is a number from 0.001 to 10000 hours, not 0"),
        ('"round-robin"', '"gauntlet", challengers = ["eve"]', "stages[1].challengers is a list of one or more"),
        ('"round-robin"', '"gauntlet", challengers = ["ann", "bob"]', "entrants, not of all, of ann, bob, not"),
        ('"round-robin"', '"round-robin", advance = 2', "stages[1].advance stands in the first stage, which everybody"),
        ('"round-robin" }', '"ladder", games = 1 }, { format = "gauntlet" }', "stages[2].format is gauntlet, which"),
        ('"round-robin" }', '"ladder", games = 1 }, { format = "knockout", advance = 3 }', "stages[2].advance is 3, "),
        ('[{ format = "round-robin" }]', "[]", "stages is one [[stages]] or more, in order, not []"),
        ("stages =", "qualification = 3\nstages =", "qualification is a table, as [qualification], not 3"),
        ("stages =", 'qualification = { opponents = ["Ann"] }\nstages =', "opponents: there is no bot 'Ann'; there is"),
        ("stages =", 'qualification = { opponents = [] }\nstages =', "qualification.opponents is a list of one"),
        ("stages =", 'qualification = { opponents = ["random", "random"] }\nstages =', "opponents is a list of one"),
        ("stages =", 'qualification = { opponents = ["alphabeta:3:mnk"] }\nstages =', "opponents is a list of one"),
        ("stages =", 'qualification = { opponents = ["alphabeta:0"] }\nstages =', "the level is '0', but it has to"),
        ("stages =", "adjudication = { seconds = 0 }\nstages =", "adjudication.seconds is a number from 0.01 to 3600"),
        ("stages =", "stages = =", "this is no TOML: "),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_sentence(old: str, new: str, sentence: str) -> None:
    assert old in LEAST
    with pytest.raises(BadContest) as caught:
        read(LEAST.replace(old, new, 1), load)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


json = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.data(), json)
def test_any_value_anywhere_is_accepted_or_complained_about(data: st.DataObject, value: object) -> None:
    """A value of a whole file is replaced by something else."""
    lines = [line for line in WHOLE.splitlines() if " = " in line]
    line = data.draw(st.sampled_from(lines))
    key = line.partition(" = ")[0]
    text = WHOLE.replace(line, f"{key} = {toml(value)}", 1).replace("plies = 2, number = 5", "plies = 1, number = 1")
    with suppress(BadContest):
        assert plan(read(text, load), []).stages


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(key)} = {toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml(part) for part in value) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(letter):08X}" for letter in value) + '"'
    return str(value).lower() if isinstance(value, bool) else repr(value)


@pytest.mark.parametrize("text", re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL))
def test_files_in_the_document_are_read(text: str) -> None:
    tomllib.loads(text)
    definition = read(text, load)
    assert plan(definition, []).stages


@pytest.mark.parametrize(
    ("name", "parameters"), [("gipf", "3 3 9 9"), ("arrows", "6 5"), ("morris", ""), ("mnk", "5 5 4")]
)
def test_generated_openings_are_distinct_undecided_and_the_same_again(name: str, parameters: str) -> None:
    game = GAMES[name]
    parameters = game.parameters(parameters)
    found = generated(game, parameters, 3, 10, seed=5)
    assert len(set(found)) == 10
    assert found == generated(game, parameters, 3, 10, seed=5)
    assert found[:4] == generated(game, parameters, 3, 4, seed=5)
    assert found != generated(game, parameters, 3, 10, seed=6)
    for text in found:
        position = game.read(text)
        assert position.turn == 1 and position.outcome is None
        assert all(child.position.outcome is None for child in position.children())
        assert from_text(game, parameters, text) == text


def test_there_are_as_many_openings_as_there_are() -> None:
    game = GAMES["mnk"]
    assert len(generated(game, "3 3 3", 1, 1000, seed=1)) == 9
    with raises(snapshot("BadOpening: no game of m,n,k 3 3 3 goes on after 9 random moves")):
        generated(game, "3 3 3", 9, 1, seed=1)


def test_moves_lead_to_the_position_they_lead_to() -> None:
    game = GAMES["mnk"]
    text = from_moves(game, "4 4 3", ["a1", "b2"])
    assert from_text(game, "4 4 3", text) == text
    assert from_moves(game, "4 4 3", []) == game.start("4 4 3").text()


def test_positions_in_which_no_game_can_begin_are_refused() -> None:
    game = GAMES["mnk"]
    with raises(
        snapshot("BadOpening: move 2, 'a1', cannot be played: a1 has a piece already; a move goes to an empty field")
    ):
        from_moves(game, "3 3 3", ["a1", "a1"])
    with raises(snapshot("BadOpening: the game is over there: line")):
        from_moves(game, "3 3 3", ["a1", "a2", "b1", "b2", "c1"])
    with raises(snapshot("BadOpening: the position is one of m,n,k 4 4 3, not 3 3 3")):
        from_text(game, "3 3 3", from_moves(game, "4 4 3", []))
    with raises(snapshot("BadOpening: line 1: expected N M K and the player to move, as in 3 3 3 1; not 'nonsense'")):
        from_text(game, "3 3 3", "nonsense\n")

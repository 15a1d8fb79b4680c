"""The file of results, read back and gone on with, and the sum of what is in it."""

import msgspec
import pytest

from engine.commands.duel import FILE
from engine.commands.game_file import BadGames, line_of
from engine.duel.games import Contender, Game, Pair, Setting, Standing, Use
from engine.statistics.elo import Tally

SETTING = Setting(
    engine="aaaa",
    game="gipf",
    parameters="4 4 15 15",
    a=Contender("nodes=2000", {}),
    b=Contender("nodes=1000,weights=w.json", {"pair": 3}),
    seed=1,
    opening_plies=8,
    balance=None,
    move_limit=1000,
    elo0=0.0,
    elo1=50.0,
    alpha=0.05,
    beta=0.05,
)


def game(winner: int | None, *, reason: str = "no_reserve", begins: int = 0) -> Game:
    return Game(begins, winner, reason, ("a1-b2", "b1-b2"), (Use(1, 2.5, 100), Use(1, 1.5, 50)))


def pair(number: int, *winners: int | None) -> Pair:
    first, second = winners
    return Pair(number, (game(first), game(second, begins=1)))


PAIRS = [pair(0, 0, 0), pair(2, 1, None), pair(1, None, 0)]


def content(*pairs: Pair, setting: Setting = SETTING) -> bytes:
    return line_of(setting) + b"".join(line_of(each) for each in pairs)


def test_file_is_read_back() -> None:
    assert FILE.games_under(content(), SETTING) == []
    assert FILE.games_under(content(*PAIRS), SETTING) == PAIRS


def test_a_line_that_was_not_written_to_the_end_is_left_out() -> None:
    whole = content(*PAIRS)
    second = len(content(*PAIRS[:2]))
    for end in range(second, len(whole)):
        assert FILE.games_under(whole[:end], SETTING) == PAIRS[:2]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "mnk"}, "game is mnk there, and gipf here"),
        ({"parameters": "3 3 9 9"}, "parameters is 3 3 9 9 there, and 4 4 15 15 here"),
        ({"a": Contender("nodes=3000", {})}, "a side is nodes=3000 there, and nodes=2000 here"),
        ({"engine": "cccc"}, "engine has changed since"),
        ({"b": Contender("nodes=1000,weights=w.json", {"pair": 4})}, "b has changed since"),
        ({"seed": 2}, "seed is 2 there, and 1 here"),
        ({"opening_plies": 4}, "opening plies is 4 there, and 8 here"),
        ({"balance": 100}, "balance is 100 there, and None here"),
        ({"move_limit": 100}, "move limit is 100 there, and 1000 here"),
        ({"elo0": -5.0}, "elo0 is -5.0 there, and 0.0 here"),
        ({"elo1": 5.0}, "elo1 is 5.0 there, and 50.0 here"),
        ({"alpha": 0.1}, "alpha is 0.1 there, and 0.05 here"),
        ({"beta": 0.1}, "beta is 0.1 there, and 0.05 here"),
    ],
)
def test_another_duel_is_refused(change: dict[str, object], sentence: str) -> None:
    other = msgspec.structs.replace(SETTING, **change)
    with pytest.raises(BadGames, match="this file holds another duel: ") as caught:
        FILE.games_under(content(*PAIRS, setting=other), SETTING)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"half a line", "line 1: this is no setting of a duel: it has no end"),
        (b"{}\n", "line 1: this is no setting of a duel"),
        (b"# a text\nof lines\n", "line 1: this is no setting of a duel"),
        (content() + b"{}\n", "line 2: this is no pair of a duel"),
        (content(PAIRS[0]) + b"\xff\n", "line 3: this is no pair of a duel"),
        (content(PAIRS[0], PAIRS[0]), "line 3: the pair 0 stands there twice"),
        (
            content(pair(-1, 0, 0)),
            "line 2: the pair -1 stands",
        ),
        (content() + line_of(PAIRS[0]).replace(b'"number"', b'"name"'), "line 2"),
    ],
)
def test_what_is_no_file_of_results_is_refused(text: bytes, sentence: str) -> None:
    with pytest.raises(BadGames) as caught:
        FILE.games_under(text, SETTING)
    assert sentence in str(caught.value)


def standing(*pairs: Pair) -> Standing:
    tally = Tally(SETTING.test)
    for each in pairs:
        tally.add(each.number, each.points)
    return Standing(sorted(pairs, key=lambda each: each.number), tally)


def test_the_last_line_is_the_result() -> None:
    assert list(standing(*PAIRS).summary()) == [
        "pairs with 0 to 2 points for A, by halves: 0 1 0 1 1",
        "games ended by no_reserve 6",
        "A used 2.50 ms and 100 nodes a move",
        "B used 1.50 ms and 50 nodes a move",
        "result A +3 =2 -1  elo 120.2 +- 668.0  los 77.4%  sprt open",
    ]


def test_progress() -> None:
    assert standing().progress(SETTING.test) == "games 0  A +0 =0 -0"
    line = standing(*PAIRS).progress(SETTING.test)
    assert line.startswith("games 6  A +3 =2 -1  elo 120.2 +- 668.0  los 77.4%  llr ")
    assert line.endswith(" (-2.94 to 2.94)")

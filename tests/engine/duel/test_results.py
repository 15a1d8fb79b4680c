"""The file of results, read back and gone on with, and the sum of what is in it."""

from random import Random

import msgspec
import pytest

from engine.duel.game_file import BadGames, line_of
from engine.duel.games import Game, Pair, Use
from engine.duel.results import FILE, Contender, Setting, Tally, progress, summary
from engine.duel.statistics import Decision, Sprt

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


def test_every_field_of_a_setting_is_compared() -> None:
    for name in SETTING.__struct_fields__:
        other = msgspec.structs.replace(SETTING, **{name: "another"})
        with pytest.raises(BadGames):
            FILE.games_under(line_of(other), SETTING)


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


# The sum


def tally_of(pairs: list[Pair], *, stop: bool = False, test: Sprt = SETTING.test) -> Tally:
    tally = Tally(test)
    for each in pairs:
        tally.add(each, stop=stop)
    return tally


def test_what_is_counted() -> None:
    tally = tally_of(PAIRS)
    assert (tally.pairs, tally.counts) == (3, (0, 1, 0, 1, 1))
    assert (tally.wins, tally.draws, tally.losses) == (3, 2, 1)
    assert tally.used == (Use(6, 15.0, 600), Use(6, 9.0, 300))
    assert tally.reasons == {"no_reserve": 6}


def test_pairs_count_when_those_before_them_are_there() -> None:
    tally = Tally(SETTING.test)
    for each, counted in zip((PAIRS[1], PAIRS[0], PAIRS[2]), (0, 1, 3), strict=True):
        tally.add(each, stop=False)
        assert tally.pairs == counted


def test_order_of_finishing_changes_nothing() -> None:
    chance = Random(3)
    pairs = [pair(number, chance.choice((0, 0, 1, None)), chance.choice((0, 1, None))) for number in range(200)]
    expected = list(summary(tally_of(pairs, stop=True)))
    for _ in range(5):
        chance.shuffle(pairs)
        assert list(summary(tally_of(pairs, stop=True))) == expected


def test_nothing_is_counted_after_the_end_of_the_test() -> None:
    pairs = [pair(number, 0, (0, None, 1)[number % 3]) for number in range(300)]
    stopped, whole = tally_of(pairs, stop=True), tally_of(pairs)
    assert stopped.decision == whole.decision == Decision.H1
    assert stopped.pairs < whole.pairs == 300
    # and not one too many: without the last pair it is open
    assert tally_of(pairs[: stopped.pairs - 1]).decision == Decision.OPEN


def test_the_first_decision_stays() -> None:
    test = Sprt(0, 50)
    pairs = [pair(number, 0, (0, None)[number % 2]) for number in range(60)]
    decided = tally_of(pairs, test=test)
    assert decided.decision == Decision.H1
    pairs += [pair(number, 1, 1) for number in range(60, 200)]
    assert tally_of(pairs, test=test).decision == Decision.H1
    assert test.decide(tally_of(pairs, test=test).ratio) == Decision.H0


# In words


def test_the_last_line_is_the_result() -> None:
    lines = list(summary(tally_of(PAIRS)))
    assert lines[-1] == "result A +3 =2 -1  elo 120.2 +- 668.0  los 77.4%  sprt open"
    assert lines[2] == "A used 2.50 ms and 100 nodes a move"
    assert lines[3] == "B used 1.50 ms and 50 nodes a move"


def test_progress() -> None:
    assert progress(tally_of([]), SETTING.test) == "games 0  A +0 =0 -0"
    line = progress(tally_of(PAIRS), SETTING.test)
    assert line.startswith("games 6  A +3 =2 -1  elo 120.2 +- 668.0  los 77.4%  llr ")
    assert line.endswith(" (-2.94 to 2.94)")

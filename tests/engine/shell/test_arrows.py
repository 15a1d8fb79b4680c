"""The shell of arrows: the contest's module of docs/rules.md, section 2.3, and what that section leaves open."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from inline_snapshot import snapshot

from engine.games.arrows.position import ARROWS
from engine.games.interface import Position, State
from engine.search.searcher import NO_LIMITS, Searcher, SearchLimits
from engine.shell import arrows
from tests.clocks import ticking
from tests.engine.arrows import samples
from tests.oracles import arrows as oracle

SMALL = "4 4\n1 1\n4 4\n2 6\n"
"""A board on which the first player wins."""

SHORT = 0.05
"""Seconds that are left in games whose moves do not matter."""


class Session:
    """A shell that was given everything at once: what it answered, and what it complained about."""

    def __init__(self, *lines: str, strict: bool = False) -> None:
        self.complaints: list[str] = []
        self.answers: list[str] = []
        text = "\n".join(lines).splitlines(keepends=True)
        arrows.Commands(text, self.answers.append, self.complaints.append, clock=ticking(), strict=strict).run()


def init(board: str) -> str:
    return f"InitGame 10\n{board}"


@pytest.mark.slow("interpreted")
def test_the_first_player_wins_a_board_that_is_won() -> None:
    for strict in (False, True):
        session = Session(init(SMALL), "turn 255 2", strict=strict)
        assert session.complaints == []
        assert oracle.wins(oracle.play(oracle.in_corners(4, 4, 2), int(session.answers[0])), {}) is False


class Host:
    """One that plays a game against a shell, with moves of chance, as either player; it owns the shell's input."""

    def __init__(self, start: Position, own: int, chance: Random) -> None:
        self.position = start
        self.own = own
        self.answers: list[str] = []
        self._chance = chance

    def lines(self) -> Iterator[str]:
        """Yield what the shell reads, each line after the last one was answered."""
        yield "InitGame 3\n"
        yield from self.position.text().splitlines(keepends=True)
        yield "\n"
        last = "255"
        while self.position.outcome is None:
            if self.position.turn != self.own:
                answered = len(self.answers)
                yield f"turn {last} {SHORT}\n"
                assert len(self.answers) == answered + 1
                self.position = self.position.play(self.answers[-1])
            else:
                children = [after for after in self.position.children() if after.position.outcome is None]
                last, self.position = self._chance.choice(children or list(self.position.children()))
        if self.position.turn != self.own:
            yield f"turn {last} {SHORT}\n"


@pytest.mark.slow("interpreted")
def test_games_are_played_to_their_end_in_one_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell wins most of them: its search is bound by nodes here, for how far it comes in a time nobody knows."""
    think = Searcher.think

    def bounded(self: Searcher, state: State, earlier: Any = (), limits: SearchLimits = NO_LIMITS, **more: Any) -> Any:
        return think(self, state, earlier, SearchLimits(nodes=500), **more)

    monkeypatch.setattr(Searcher, "think", bounded)
    chance = Random(1)
    starts = [ARROWS.read(oracle.board_text(samples.random_start(chance))) for _ in range(12)]
    hosts = [Host(start, number % 2, chance) for number, start in enumerate(starts)]
    answers: list[str] = []
    complaints: list[str] = []

    def lines() -> Iterator[str]:
        for host in hosts:
            host.answers = answers
            yield from host.lines()

    arrows.Commands(lines(), answers.append, complaints.append, clock=ticking()).run()
    assert [sentence for sentence in complaints if not sentence.startswith("warning: ")] == []
    verdicts = [(host.position.outcome, host.own) for host in hosts]
    assert sum(verdict is not None and verdict.winner != own for verdict, own in verdicts) > 8
    assert answers.count("255") == sum(verdict is not None and verdict.winner == own for verdict, own in verdicts)


def test_an_opponent_who_points_nowhere_is_answered_with_a_direction() -> None:
    session = Session(init("8 8\n1 1\n8 8\n2 6\n"), "turn 0 1")
    assert session.answers[0] in list("01234567")
    assert session.complaints == []


def test_no_move_is_possible() -> None:
    """The opponent, who begins, points at the field that the shell is about to use; and then the game is over."""
    session = Session(init("4 4\n1 1\n4 2\n2 6\n"), "turn 3 1", "turn 0 1")
    assert session.answers == ["255"]
    assert session.complaints == snapshot(
        [
            "the opponent's move 0: the game is over: second cannot place an arrow on (3, 2), which the last arrow of first points at, too"
        ]
    )
    assert Session(init("4 4\n1 1\n4 4\n0 6\n"), "turn 255 1").answers == ["255"]


def test_a_game_that_was_won_is_over() -> None:
    session = Session(init("4 4\n1 1\n4 2\n2 6\n"), "turn 255 1", "turn 6 1", "turn 255 1")
    assert session.answers == ["3"]
    assert session.complaints == snapshot(
        [
            "the opponent's move 6: the game is over: second cannot place an arrow on (3, 2), which the last arrow of first points at, too",
            "255 stands for the first move of a game, but this one has begun",
        ]
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("hello", "expected 'InitGame' and seconds, or 'turn', a direction and seconds; not 'hello'"),
        ("turn 3", "not 'turn 3'"),
        ("turn 3 x", "not 'turn 3 x'"),
        ("turn 3 1 1", "not 'turn 3 1 1'"),
        ("InitGame", "not 'InitGame'"),
        ("InitGame soon", "not 'InitGame soon'"),
        ("INITGAME 10", "not 'INITGAME 10'"),
        ("turn 8 1", "the opponent's move 8: '8' is no direction"),
        ("turn -1 1", "the opponent's move -1: '-1' is no direction"),
        ("turn 255 1", "255 stands for the first move of a game"),
    ],
)
def test_what_fits_in_nowhere_gets_one_sentence_and_changes_nothing(line: str, sentence: str) -> None:
    session = Session(init("8 8\n1 1\n8 8\n2 6\n"), f"turn 3 {SHORT}", line, "", f"turn 4 {SHORT}")
    assert len(session.answers) == 2
    assert len(session.complaints) == 1
    assert sentence in session.complaints[0]


def test_a_turn_needs_a_game() -> None:
    session = Session("turn 255 1", init("4 4\n1 1\n1 1\n2 6\n"), "turn 255 1", "", init(SMALL), f"turn 255 {SHORT}")
    assert len(session.answers) == 1
    # the board ends where a command follows it
    assert session.complaints == snapshot(
        [
            "there is no game: 'InitGame' and a board file come before 'turn'",
            "there is no game, the board file cannot be read: line 3: (1, 1) is named twice",
            "there is no game: 'InitGame' and a board file come before 'turn'",
        ]
    )


def test_what_is_odd_about_a_board_is_said() -> None:
    session = Session(init("4 4\n1 1\n4 4\n2 4\n"))
    assert session.complaints == snapshot(
        ["warning: the second player cannot place an arrow: nothing can be placed on (4, 5)"]
    )


def test_comments_and_other_line_ends_are_understood() -> None:
    board = "# the board\r\n4 4 # four by four\r\n1 1\r\n4 4\r\n2 6\r\n\r\n"
    session = Session(f"InitGame 2.5\r\n{board}turn 255 0.05\r\n")
    assert (len(session.answers), session.complaints) == (1, [])


def test_thinking_takes_a_part_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """The searcher is told of all positions of the game, so that it keeps what it has found."""
    given: list[tuple[int, SearchLimits]] = []
    think = Searcher.think

    def watched(self: Searcher, state: State, earlier: Any = (), limits: SearchLimits = NO_LIMITS, **more: Any) -> Any:
        given.append((len(earlier), limits))
        return think(self, state, earlier, limits._replace(depth=2), **more)

    monkeypatch.setattr(Searcher, "think", watched)
    Session(init("8 8\n1 1\n8 8\n2 6\n"), "turn 255 10", "turn 7 5", "turn 7 0")
    # the first may be the one that makes everything ready
    (first, long), (second, short), (third, least) = given[-3:]
    assert (first, second, third) == (0, 2, 4)
    assert long.soft_ms is not None and short.soft_ms is not None and least.soft_ms is not None
    assert long.hard_ms is not None and short.hard_ms is not None and least.hard_ms is not None
    assert 100 < long.soft_ms < long.hard_ms < 2500
    assert long.hard_ms > short.hard_ms > least.hard_ms
    assert least.hard_ms < 1

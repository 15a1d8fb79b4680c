"""Records of small games, as files of a data directory."""

from collections.abc import Sequence
from pathlib import Path

from engine.games.catalogue import GAMES
from engine.match import referee
from engine.match.clock import TimeControl
from engine.match.record import Header


def record(
    match: int,
    players: tuple[str, str] = ("ann", "Bob"),
    moves: Sequence[str] = ("a1", "b1", "a2", "b2", "a3"),
    *,
    game: str = "mnk",
    parameters: str = "3 3 3",
    started: str = "2026-11-20T20:15:00.000Z",
) -> str:
    """Return the record of a game that ends with these moves or, where the board does not say so, by resignation.

    Each move takes 10 ms; who is to move after the last one gives up. The five default moves give the first player
    a line.
    """
    position = GAMES[game].start(parameters)
    control = TimeControl.of_milliseconds(60_000, 0)
    header = Header(match, position, players, control, 100, "gipf-arena/test", started)
    state, lines, now = referee.begin(header), [header.text()], 0

    def take(step: referee.Step) -> referee.MatchState:
        lines.extend(referee.lines_of(step[1]))
        return step[0]

    for side in (1, 0):
        state = take(referee.ready(state, side, now))
    for move in moves:
        state = referee.start_turn(state, now)
        now += 10_000
        state = take(referee.move(state, state.history.position.turn, move, now))
    if state.outcome is None:
        state = referee.start_turn(state, now)
        take(referee.resign(state, state.history.position.turn, now + 1_000))
    return "".join(lines)


def write(data: Path, match: int, text: str) -> None:
    """Write a record into a data directory, as the server does."""
    folder = data / "records"
    folder.mkdir(exist_ok=True)
    (folder / f"{match}.txt.new").write_text(text, encoding="utf-8")
    (folder / f"{match}.txt.new").rename(folder / f"{match}.txt")

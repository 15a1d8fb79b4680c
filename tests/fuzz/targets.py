"""Fuzz targets: each target takes bytes, and raises only where a promise is broken."""

import re
from collections.abc import Callable
from contextlib import suppress

from engine.games.catalogue import GAMES
from engine.games.interface import BadMove, GameError, History
from engine.match import recovery, verification
from engine.match.record import BadRecord
from engine.shell import SHELLS, find
from engine.wire import messages as m
from engine.wire.coding import REPLY_BYTES, encode
from engine.wire.ends import ClientEnd
from server.contest.contest_file import BadContest, read as read_contest
from server.storage.player_logs import shown_lines
from tests.clocks import ticking

STARTS = {
    "gipf": ("4 4 15 15", "2 2 5 5"),
    "arrows": ("5 4", "10 10"),
    "morris": ("",),
    "mnk": ("3 3 3", "15 15 5"),
}
"""Variants whose moves are read."""

LONG_COMMANDS = re.compile(r"SOLVE|WINNING|turn\s+\S+\s+[0-9]{2,}", re.IGNORECASE)
"""Commands of the shells that may take long: solving, and moves with ten seconds or more. Their lines are left out."""


def _moves(game: str) -> Callable[[bytes], None]:
    histories = [History.begin(GAMES[game].start(parameters)) for parameters in STARTS[game]]

    def target(data: bytes) -> None:
        """A move is legal, and then written in one way, or refused with the one error."""
        text = data.decode(errors="replace")
        for history in histories:
            after = history
            for move in text.split("\n")[:20]:
                with suppress(BadMove):
                    after = after.after(move)
                    assert after.moves[-1] in {child.move for child in history.position.children()}
                    history = after

    return target


def _boards(game: str) -> Callable[[bytes], None]:
    def target(data: bytes) -> None:
        """A position is read, and comes back from its own text, or is refused with the one error."""
        text = data.decode(errors="replace")
        try:
            position = GAMES[game].read(text)
        except GameError as error:
            _one_sentence(error)
            return
        again = GAMES[game].read(position.text())
        assert (again.key, again.parameters, again.turn) == (position.key, position.parameters, position.turn)
        assert again.is_over == position.is_over

    return target


def records(data: bytes) -> None:
    """A record is true, or refused at a line; a journal is taken up as far as it is true."""
    leftover = recovery.examine(7, data)
    assert (leftover.summary is None) <= bool(leftover.fault)
    if leftover.summary is not None:
        again = verification.verify(leftover.text)
        assert (again.played, again.state.notes) == (leftover.summary.played, leftover.summary.state.notes)
        if not leftover.summary.result:
            state, _ = recovery.restore(leftover.summary, leftover.summary.latest, leftover.summary.latest + 1)
            assert state.history.moves == leftover.summary.history.moves
            assert state.notes == leftover.summary.state.notes
    with suppress(BadRecord):
        verification.verify(data.decode(errors="replace"))


def _shell(game: str) -> Callable[[bytes], None]:
    shell = find(game)

    def target(data: bytes) -> None:
        """A shell answers whatever it is told."""
        told = [line for line in data.decode(errors="surrogateescape").splitlines() if not LONG_COMMANDS.search(line)]
        shell(iter(line + "\n" for line in told), _ignore, _ignore, strict=False, clock=ticking(0.001)).run()

    return target


def _ignore(_text: str) -> None:
    pass


def contests(data: bytes) -> None:
    """A contest file is read, or refused with one sentence."""
    text = data.decode(errors="replace")
    try:
        read_contest(text, _no_file)
    except BadContest as error:
        _one_sentence(error)


def logs(data: bytes) -> None:
    """Whatever a program has written is shown in lines of the protocol, each with its side and move."""
    lines = tuple(shown_lines("white", data))
    assert all(re.match(r"white [0-9]+ \|( |$)", line) for line in lines)
    answer = encode(m.Log(17, m.Block(lines)))
    assert max(map(len, answer.splitlines())) <= REPLY_BYTES
    assert ClientEnd().receive(answer) == [m.Log(17, m.Block(lines))]


def _one_sentence(error: Exception) -> None:
    assert str(error) and "\n" not in str(error), repr(str(error))


def _no_file(name: str) -> str:
    raise FileNotFoundError(name)


TARGETS: dict[str, Callable[[bytes], None]] = {
    **{f"moves-{game}": _moves(game) for game in GAMES},
    **{f"boards-{game}": _boards(game) for game in GAMES},
    "records": records,
    **{f"shell-{game}": _shell(game) for game in SHELLS},
    "contests": contests,
    "logs": logs,
}

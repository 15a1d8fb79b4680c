"""Analyses a record, in a worker process of its own (`server.ops.question_loop`).

Reading a record that anybody may send, and searching its positions, takes time that the server's event loop does not
have, and that no thread can be stopped in. A question is of the kind ``frames``, ``times`` or ``values``, and its body
the record; whoever asks sets the bound in time and ends the process. For ``review`` a line stands
before the record, the number of the move before which some are to be reviewed; for ``positions`` the body is a `Played`
in JSON, a match that the server plays, and the answer has its positions.
"""

from functools import partial
from threading import Event

import msgspec

from engine.games.catalogue import GAMES
from engine.games.kernels import CompileProcess
from engine.match.reader import BadRecord, decoded
from engine.match.verification import time_account, verify
from server.config.process_settings import lower_priority
from server.ops.question_loop import OK, Question, answer_questions
from server.ops.typed_json import decode
from server.web.http.errors import NOT_TRUE, short
from server.web.replay.match_frames import (
    Change,
    Frame,
    Info,
    NoteView,
    Now,
    frames,
    info_of,
    note_views,
    now_of_record,
)

NICENESS = 10
"""How much lower the priority of the process is than that of the server: matches go first."""


class WholeMatch(msgspec.Struct, frozen=True, kw_only=True):
    """All that a page shows of a record."""

    info: Info
    now: Now
    frames: tuple[Frame | Change, ...]
    notes: tuple[NoteView, ...]


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """A match as far as it has come, its moves legal."""

    game: str
    start: str
    """The first position, in the game's text form."""
    moves: tuple[str, ...]


def tell(text: str) -> WholeMatch:
    """Return all that a page shows of a record; raises `BadRecord`."""
    summary = verify(text)
    shown = frames(summary.header.position, summary.history.moves)
    notes = note_views(summary.state.notes)
    return WholeMatch(info=info_of(summary.header), now=now_of_record(summary), frames=shown, notes=notes)


def match_frames(text: str) -> tuple[Frame | Change, ...]:
    """Return the positions of a match that the server plays."""
    played = decode(text, type=Played)
    return frames(GAMES[played.game].read(played.start), played.moves)


def times(text: str) -> tuple[str, str]:
    """Return where the time of both sides went; raises `BadRecord`."""
    return time_account(verify(text))


def _judge(text: str) -> object:
    from server.web.replay.evaluations import judge  # loading a search takes longer than to tell of most records

    return judge(verify(text))


def _review(text: str, before: int) -> object:
    from server.web.replay.evaluations import review_part  # as above

    return review_part(verify(text), before)


def answer(question: Question[Event]) -> tuple[int, bytes]:
    """Return the status and the JSON of an answer; where a record is not true, a sentence that says why."""
    body = question.body
    analyse = {"frames": tell, "times": times, "values": _judge, "positions": match_frames}.get(question.kind)
    if analyse is None:
        number, _, body = body.partition(b"\n")
        analyse = partial(_review, before=int(number))
    try:
        told = msgspec.json.encode(analyse(decoded(body)))
        CompileProcess.leave_running()
        return OK, told
    except BadRecord as error:
        return NOT_TRUE, short(str(error)).encode()


if __name__ == "__main__":
    lower_priority(NICENESS)
    answer_questions(answer)

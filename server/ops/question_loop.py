"""The side of a worker process: it answers the questions that come on standard input, one after the other.

The first answer, an empty one, says that the process is ready. A question of the kind ``stop`` ends the work on the
others, which are answered soon then; it has no answer itself. The process ends with its standard input, also in the
middle of its work: the server is gone, however it ended, or has no use for it any more.
"""

import os
import sys
import traceback
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple

from server.config.process_settings import ignore_interrupts

OK, FAULT = 200, 500
"""Statuses of answers; those between are for what is wrong with a question. A fault's body is a text that says what."""

STOP = b"stop"
"""The kind of a question that stops what is under way."""

MAX_FAULT = 2000
"""Characters of a traceback that are told, the last ones."""


class Question(NamedTuple):
    """A question as it was read, and what stops the work on it: an event, or an object with a ``set`` like one."""

    kind: str
    body: bytes
    stop: Any


def answer_questions(answer: Callable[[Question], tuple[int, bytes]], new_stop: Callable[[], Any] = Event) -> None:
    """Answer questions, each of which can be stopped by an object of its own, until there are no more.

    Does not return. Where ``answer`` raises an exception, the answer is a `FAULT`.
    """
    ignore_interrupts()  # Ctrl-C is for the server
    questions: SimpleQueue[Question] = SimpleQueue()

    def read_questions() -> None:
        latest = new_stop()
        try:
            while line := sys.stdin.buffer.readline():
                kind, length = line.split()
                body = sys.stdin.buffer.read(int(length))
                if kind == STOP:
                    latest.set()
                else:
                    latest = new_stop()
                    questions.put(Question(kind.decode(), body, latest))
        finally:
            os._exit(0)  # also in the middle of a question

    Thread(target=read_questions, daemon=True).start()
    _write(OK, b"")
    while True:
        question = questions.get()
        try:
            status, body = answer(question)
        except Exception:
            status, body = FAULT, traceback.format_exc()[-MAX_FAULT:].encode(errors="replace")
        _write(status, body)


def _write(status: int, body: bytes) -> None:
    sys.stdout.buffer.write(b"%d %d\n%b" % (status, len(body), body))
    sys.stdout.buffer.flush()

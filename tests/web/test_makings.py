"""Tablebases that visitors have made: few for each address, and where one cannot be made that is said."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from starlette.applications import Starlette

from engine.compiling.compile_process import CompileProcess
from engine.games.catalogue import start_of
from engine.solve.tablebase import making, tablebase
from engine.solve.tablebase.tablebase import tablebase_of
from server.web.http.listener import QUOTA
from server.web.play.exact import State, values
from server.web.play.makings import MOST, SECONDS, Makings, variant_of
from server.web.play.questions import Question
from server.web.play.routes import Playing
from server.web.play.workers import Workers
from tests.web.asking import ask

SMALL = Question(game="gipf", parameters="3 3 5 5")


@pytest.fixture
def made_here(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have tablebases made, in an empty cache."""
    monkeypatch.delenv(making.GIVEN)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tablebase, "can_compile", lambda: True)


@pytest.mark.usefixtures("made_here")
def test_what_ended_without_a_tablebase_has_failed_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[bool] = []
    process = SimpleNamespace(has_ended=lambda: bool(ended))
    monkeypatch.setattr(CompileProcess, "start", lambda _arguments: process)
    book = tablebase_of(start_of("gipf", "3 3 5 5"))
    assert values(SMALL, lambda _: book, make=False).state == State.LATER
    assert [values(SMALL, lambda _: book).state for _ in range(2)] == [State.MAKING] * 2
    ended.append(True)
    assert [values(SMALL, lambda _: book).state for _ in range(2)] == [State.FAILED] * 2
    assert values(SMALL, tablebase_of).state == State.FAILED
    ended.clear()
    assert values(SMALL, tablebase_of).state == State.MAKING


@pytest.mark.usefixtures("made_here")
def test_where_no_process_can_be_started_that_has_failed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_arguments: object) -> object:
        raise OSError("no memory")

    monkeypatch.setattr(CompileProcess, "start", none)
    assert values(SMALL, tablebase_of).state == State.FAILED


def test_an_address_has_so_many_variants_made_within_an_hour() -> None:
    now = [0.0]
    makings = Makings(lambda: now[0])
    for number in range(MOST):
        assert makings.is_free("ann", f"gipf 3 3 4 {number}")
        makings.note("ann", f"gipf 3 3 4 {number}")
        now[0] += 1
    assert makings.is_free("ann", "gipf 3 3 4 0"), "it is being made"
    assert not makings.is_free("ann", "gipf 3 3 9 9")
    assert makings.is_free("bob", "gipf 3 3 9 9")
    now[0] = SECONDS
    assert makings.is_free("ann", "gipf 3 3 9 9")


@pytest.mark.parametrize(
    ("question", "variant"),
    [
        ({"game": "gipf", "parameters": " 3  3 5 5"}, "gipf 3 3 5 5"),
        ({"game": "gipf", "start": "\n3 3 5 5\n5 5 W\n"}, "gipf 3 3 5 5"),
        ({"game": "gipf"}, "gipf"),
        ({"name": 1}, ""),
    ],
)
def test_the_variant_of_a_question(question: dict[str, Any], variant: str) -> None:
    assert variant_of(json.dumps(question).encode()) == variant
    assert variant_of(b"\xff") == ""


def test_who_has_had_many_made_is_told_to_come_later(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def answer(_workers: Workers, kind: str, _body: bytes, _seconds: float) -> tuple[int, bytes]:
        asked.append(kind)
        return 200, json.dumps({"state": "making" if kind == "values" else "later"}).encode()

    monkeypatch.setattr(Workers, "ask", answer)

    async def states() -> list[str]:
        async with Playing() as playing:
            inner = Starlette(routes=playing.routes())

            async def app(scope: Any, receive: Any, send: Any) -> None:
                scope[QUOTA] = "ann"
                await inner(scope, receive, send)

            found = []
            for number in range(MOST + 1):
                body = json.dumps({"game": "gipf", "parameters": f"3 3 4 {4 + number}"}).encode()
                headers = {"content-type": "application/json"}
                found.append((await ask(app, "POST", "/api/play/values", body, headers=headers)).json["state"])
            return found

    assert trio.run(states) == ["making"] * MOST + ["later"]
    assert asked == ["values"] * MOST + ["known"]

"""The routes for playing: bounds, processes that answer, and questions that nobody waits for any more."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from queue import SimpleQueue

import msgspec
import pytest
import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from engine.search.searcher import Stop
from server.ops.question_loop import Question, listen
from server.web.http.errors import Refused
from server.web.play import questions
from server.web.play import worker as play_worker
from server.web.play import workers as play_workers
from server.web.play.routes import MAX_BYTES, Playing
from server.web.play.workers import Workers
from tests.web.asking import Answer, ask

pytestmark = pytest.mark.slow  # each starts processes

JSON = {"content-type": "application/json"}

LARGE = {"game": "gipf", "parameters": "5 4 18 18"}


@pytest.fixture(autouse=True)
def processes_interpret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the processes interpret: a busy machine may compile for longer than an answer may take."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[ASGIApp, Playing]]:
    async def refused(_request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return JSONResponse({"error": str(error)}, error.status)

    async with Playing() as playing:
        yield Starlette(routes=playing.routes(), exception_handlers={Refused: refused}), playing


async def post(app: ASGIApp, kind: str, question: object) -> Answer:
    return await ask(app, "POST", f"/api/play/{kind}", msgspec.json.encode(question), headers=JSON)


async def test_a_game_is_played_with_questions() -> None:
    async with serving() as (app, _):
        games = await ask(app, "GET", "/api/play/games")
        assert {"name": "gipf", "sides": ["white", "black"], "parameters": "4 4 15 15"} in games.json
        looked = await post(app, "look", LARGE)
        assert looked.status == 200 and looked.json["view"]["turn"] == 0
        thought = await post(app, "think", {**LARGE, "seconds": 0.05})
        assert thought.status == 200
        after = await post(app, "look", {**LARGE, "moves": [thought.json["move"]]})
        assert after.status == 200 and after.json["view"]["turn"] == 1
        crossing = {"game": "gipf", "start": "2 3 9 9\n3 9 W\n W W\nW _ W\n W W\n", "chosen": "a3-b3"}
        assert len((await post(app, "rows", crossing)).json["choices"]) == 3


async def test_bad_input_is_answered_with_one_sentence() -> None:
    async with serving() as (app, _):
        bad = await post(app, "look", {"game": "gipf", "parameters": "1 1 1 1"})
        assert bad.status == 400 and bad.json == {"error": "S is 1, but boards have sides of 2 to 12 fields"}
        assert (await post(app, "think", {"game": "gipf", "seconds": 60})).status == 400
        assert (await post(app, "look", {"game": "gipf"})).status == 200  # the process is none the worse
        assert (await post(app, "guess", {})).status == 404
        plain = await ask(app, "POST", "/api/play/look", b'{"game": "gipf"}', headers={"content-type": "text/plain"})
        assert plain.status == 415
        long = await ask(app, "POST", "/api/play/look", b" " * (MAX_BYTES + 1), headers=JSON)
        assert long.status == 413 and str(MAX_BYTES) in long.json["error"]
        assert (await ask(app, "GET", "/api/play/look")).status == 405


def test_a_thought_is_stopped_by_a_word() -> None:
    body = msgspec.json.encode({**LARGE, "seconds": 10})
    asked: SimpleQueue[Question[Stop]] = SimpleQueue()
    listen(BytesIO(b"think %d\n%bstop 0\n" % (len(body), body)), asked, Stop)
    question = asked.get()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "perf_counter", lambda: 0.0)  # for ever, then, if nothing stopped it
        status, answer = play_worker.Worker(1).answer(question)
    assert status == 200 and msgspec.json.decode(answer)["move"]


async def test_after_a_thought_that_nobody_waits_for_the_process_serves_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_workers, "STOP_SECONDS", 300.0)
    async with serving() as (app, playing):
        await post(app, "think", {**LARGE, "seconds": 0.05})
        (worker,) = playing._thinkers._idle

        async def gone() -> None:
            while not worker.asked:
                await trio.sleep(0.01)

        body = msgspec.json.encode({**LARGE, "seconds": 10})
        await ask(app, "POST", "/api/play/think", body, headers=JSON, gone=gone)
        assert playing._thinkers._idle == [worker] and worker.process.returncode is None
        assert (await post(app, "think", {**LARGE, "seconds": 0.05})).status == 200


async def test_no_more_think_at_a_time_than_there_are_processes_and_few_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_workers, "MAX_WAITING", 1)
    statuses = []
    async with serving() as (app, playing):

        async def think() -> None:
            statuses.append((await post(app, "think", {**LARGE, "seconds": 0.3})).status)

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(think)
        assert sorted(statuses) == [200, 200, 503]
        assert len(playing._thinkers._all) == 1


async def test_a_process_that_does_not_answer_is_killed_and_replaced() -> None:
    body = msgspec.json.encode({**LARGE, "seconds": 10})
    async with Workers(1, nice=7) as workers:
        with pytest.raises(Refused, match="no answer came within") as caught:
            await workers.ask("think", body, 0.5)
        assert caught.value.status == 500 and not workers._all
        status, _ = await workers.ask("look", body, 300)
        assert status == 200
        (worker,) = workers._all
        worker.process.kill()
        with pytest.raises(Refused):
            await workers.ask("look", body, 300)
        assert (await workers.ask("look", body, 300))[0] == 200


async def test_a_process_that_holds_too_much_memory_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled boards stay in it, and visitors choose which."""
    body = msgspec.json.encode({"game": "mnk", "parameters": "3 3 3"})
    async with Workers(1, nice=7) as workers:
        assert (await workers.ask("look", body, 60.0))[0] == 200
        (first,) = workers._all
        assert 10_000_000 < first.memory() < play_workers.MAX_MEMORY
        assert (await workers.ask("look", body, 60.0))[0] == 200
        assert workers._all == {first}
        monkeypatch.setattr(play_workers, "MAX_MEMORY", 10_000_000)
        assert (await workers.ask("look", body, 60.0))[0] == 200
        assert workers._all == set() and first.memory() == 0


async def test_processes_run_at_a_lower_priority_and_end_with_the_server() -> None:
    async with Workers(1, nice=7) as workers:
        await workers.ask("look", b'{"game": "gipf"}', 300)
        (worker,) = workers._all
        expected = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 7)
        assert os.getpriority(os.PRIO_PROCESS, worker.process.pid) == expected
    assert worker.process.returncode is not None


async def test_a_process_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    async with Workers(1, nice=0) as workers:
        for _ in range(2):
            with pytest.raises(Refused, match="the bot cannot be started"):
                await workers.ask("look", b"", 5)
        assert not workers._all

"""The routes for playing: questions over HTTP, answered by a process."""

import os

import msgspec
import pytest
import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from engine.search.searcher import Stop
from server.ops.worker_process import WorkerQuestion
from server.web import worker as page_worker
from server.web.app import QUESTION_BYTES, question_routes
from server.web.http.request import Refused
from server.web.play import questions
from server.web.pool import NICE, Pool
from tests.web.asking import Answer, ask

JSON = {"content-type": "application/json"}

LARGE = {"game": "gipf", "parameters": "5 4 18 18"}


async def refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return JSONResponse({"error": str(error)}, error.status)


@pytest.mark.slow
async def test_questions_are_answered_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # a busy machine may compile for longer than an answer may take

    async def post(kind: str, question: object) -> Answer:
        return await ask(app, "POST", f"/api/{kind}", msgspec.json.encode(question), headers=JSON)

    async with Pool() as pool:
        app = Starlette(routes=question_routes(pool), exception_handlers={Refused: refused})
        games = await ask(app, "GET", "/api/play/games")
        assert {"name": "gipf", "sides": ["white", "black"], "parameters": "4 4 15 15"} in games.json
        looked = await post("play/look", LARGE)
        assert looked.status == 200 and looked.json["view"]["turn"] == 0
        thought = await post("play/think", {**LARGE, "seconds": 0.05})
        after = await post("play/look", {**LARGE, "moves": [thought.json["move"]]})
        assert after.status == 200 and after.json["view"]["turn"] == 1
        crossing = {"game": "gipf", "start": "2 3 9 9\n3 9 W\n W W\nW _ W\n W W\n", "chosen": "a3-b3"}
        assert len((await post("play/rows", crossing)).json["choices"]) == 3
        assert (await post("analysis/kit", LARGE)).json["counter"] == "in reserve"

        bad = await post("play/look", {"game": "gipf", "parameters": "1 1 1 1"})
        assert bad.status == 400
        assert (await post("play/guess", {})).status == 404
        plain = await ask(app, "POST", "/api/play/look", b'{"game": "gipf"}', headers={"content-type": "text/plain"})
        assert plain.status == 415
        long = await ask(app, "POST", "/api/play/look", b" " * (QUESTION_BYTES + 1), headers=JSON)
        assert long.status == 413 and str(QUESTION_BYTES) in long.json["error"]
        assert (await ask(app, "GET", "/api/play/look")).status == 405
        nice = {os.getpriority(os.PRIO_PROCESS, worker.process.pid) for worker in pool._idle}
        assert nice == {min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICE)}, "matches go first"
        *_, worker = pool._idle

        async def gone() -> None:
            while not worker.asked:
                await trio.sleep(0.01)

        body = msgspec.json.encode({**LARGE, "seconds": 0.05})
        await ask(app, "POST", "/api/play/look", body, headers=JSON, gone=gone)
        assert not worker.asked, "a question whose browser has gone is stopped"


def test_a_thought_is_stopped_by_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "perf_counter", lambda: 0.0)  # for ever, then, if nothing stopped it
    stop = Stop()
    stop.set()
    body = msgspec.json.encode({**LARGE, "seconds": 10})
    status, answer = page_worker.Worker(1).answer(WorkerQuestion("think", body, stop))
    assert status == 200 and msgspec.json.decode(answer)["move"]

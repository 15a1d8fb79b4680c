"""How much of the server's time the page for playing takes: the event loop while four browsers let the bot think.

A ticker says how much later than it asked for it was woken. On a busy machine that says more about the machine: see the
row without browsers. The longest pass of the loop is told in its own processor time, whatever else the machine does.
"""

import statistics
from time import perf_counter, thread_time

import msgspec
import trio

from server.web.play.routes import Playing

TICK = 0.002
"""Seconds between two ticks."""

SECONDS = 6.0
"""How long each row takes."""

BROWSERS = 4

THINK = 0.5
"""Seconds that a bot is asked to think about a move."""


class Passes(trio.abc.Instrument):
    """Milliseconds of processor time that each pass of the loop has taken."""

    def __init__(self) -> None:
        self.work: list[float] = []
        self._began = thread_time()

    def after_io_wait(self, timeout: float) -> None:
        self._began = thread_time()

    def before_io_wait(self, timeout: float) -> None:
        self.work.append(1000 * (thread_time() - self._began))


async def _ticks(late: list[float]) -> None:
    while True:
        due = perf_counter() + TICK
        await trio.sleep(TICK)
        late.append(1000 * (perf_counter() - due))


async def _browser(playing: Playing, parameters: str, moved: list[float]) -> None:
    """Play a game after the other as the page does: look, think, look."""
    moves: list[str] = []
    while True:
        question = {"game": "gipf", "parameters": parameters, "moves": moves, "seconds": THINK}
        _, answer = await playing.ask("look", msgspec.json.encode(question))
        if not msgspec.json.decode(answer)["legal"]:
            moves = []
            continue
        began = perf_counter()
        status, answer = await playing.ask("think", msgspec.json.encode(question))
        moved.append(perf_counter() - began)
        if status == 200:
            moves = [*moves, msgspec.json.decode(answer)["move"]]


async def _row(playing: Playing, browsers: int, parameters: str, title: str) -> None:
    late: list[float] = []
    moved: list[float] = []
    passes = Passes()
    trio.lowlevel.add_instrument(passes)
    with trio.move_on_after(SECONDS):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_ticks, late)
            for _ in range(browsers):
                nursery.start_soon(_browser, playing, parameters, moved)
    trio.lowlevel.remove_instrument(passes)
    centiles = statistics.quantiles(late, n=1000)
    waited = f", {statistics.median(moved):.2f} s a move of {THINK} s, waiting included" if moved else ""
    lateness = f"late by {centiles[499]:.2f} ms (median), {centiles[998]:.2f} (99.9 %), {max(late):.2f} at most"
    print(f"  {title}: {lateness}; longest pass {max(passes.work):.2f} ms{waited}")


async def _measure() -> None:
    async with Playing() as playing:
        question = msgspec.json.encode({"game": "gipf", "seconds": 0.05})
        await playing.ask("think", question)  # compiles where that was never done
        await _row(playing, 0, "", "nobody")
        await _row(playing, BROWSERS, "4 4 15 15", f"{BROWSERS} browsers, 4 4 15 15")
        await _row(playing, BROWSERS, "6 4 30 30", f"{BROWSERS} browsers, 6 4 30 30")


def run() -> None:
    """Print the rows."""
    print("playing: the server's event loop while bots think for browsers")
    trio.run(_measure)

"""A side of a duel, as a process of its own: finds moves with whatever version of the engine is first on its path.

`engine.commands.duel.processes` runs this file, not as a module, with the directory of that version in ``PYTHONPATH``.
So it imports nothing but what the engine has had since `engine.search.searcher` stands, and weights only when they are
asked for. It reads a JSON object a line and answers each with one:

    {"game": name, "position": text, "table": megabytes or null, "threads": number or null, "limits": {...},
     "waits": whether it compiles before it is ready, "increment": ms, "weights": {...}, "book": name or null}
        -> {"engine": directory, "digest": of its sources}
    {"game": number, "moves": [...], "left": ms or null}
        -> {"move": text, "ms": milliseconds since the line was read, "nodes": number}

The first line says who plays what, from which position on; each of the others asks for a move after those that were
made, and says how much time is left for the rest of the game where a budget was given. Another number is another game.

What cannot be answered gives {"error": sentence}, and ends the process, as the end of the input does at any time.
"""

import gc
import hashlib
import json
import os
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING, Any

import engine

if TYPE_CHECKING:
    from engine.games.interface import Position


def _of_engine(*places: str) -> Any:
    """Return what this version of the engine has in one of these places, the newest first; each is ``module:name``."""
    for place in places:
        module, name = place.split(":")
        try:
            return getattr(import_module(module), name)
        except ModuleNotFoundError:
            if place == places[-1]:
                raise


GAMES = _of_engine("engine.games.catalogue:GAMES", "engine.catalogue:GAMES")
Searcher = _of_engine("engine.search.searcher:Searcher", "engine.search.think:Thinker")
SearchLimits = _of_engine("engine.search.searcher:SearchLimits", "engine.search.think:Limits")
key_of = _of_engine("engine.search.searcher:key_of", "engine.search.think:key_of")
allocate_time = _of_engine("engine.search.time_management:allocate_time", "engine.search.timing:allot")

EXERCISE = SearchLimits(depth=2)
"""What compiles or loads all that thinking needs."""

Message = dict[str, Any]
Lines = SimpleQueue[tuple[float, bytes]]


class EngineProcess:
    """Answers for one side."""

    def __init__(self, setup: Message) -> None:
        """Get ready: read the position, compile the search or load it, or have that done meanwhile."""
        game = GAMES[setup["game"]]
        self._start = game.read(setup["position"])
        if setup["weights"]:
            self._start = _weighed(self._start, setup["weights"])
        self._options = {"megabytes": setup["table"]}
        if setup["threads"] is not None:  # which the engine has not always known
            self._options["threads"] = setup["threads"]
        self._limits = SearchLimits(**setup["limits"])
        self._book = _book_of(self._start, setup["book"]) if setup["book"] else None
        self._increment = setup["increment"]
        self._work = None if setup["waits"] else _work_on(self._start)
        if self._work is None:
            Searcher(self._start.kernel(), megabytes=0).think(self._start, (), EXERCISE, clock=perf_counter)
        self._others = set(GAMES) - {game.name}
        self._begin(-1)

    def _begin(self, game: int) -> None:
        """Get ready for a game: what was learned in the last one is forgotten, so that games do not depend on it."""
        self._game = game
        self._rules: Any = None
        self._searcher: Any = None
        self._searched: list[tuple[Position, list[int], Any]] = []
        if self._work is None:
            self._searcher = Searcher(self._start.kernel(), **self._options)
        self._position: Position = self._start
        self._earlier: list[int] = []

    def ready(self) -> Message:
        """Say what engine this is. The digest is of all that was imported of it and its tables, but for other games."""
        digest = hashlib.sha256()
        for name, module in sorted(sys.modules.items()):
            parts = name.split(".")
            file = getattr(module, "__file__", None)
            if parts[0] == "engine" and file and not self._others & set(parts[1:2]):
                beside = sorted(Path(file).parent.glob("*.json")) if Path(file).name == "__init__.py" else []
                for source in (Path(file), *beside):
                    digest.update(name.encode() + b"\0" + source.read_bytes())
        if self._book is not None:
            digest.update(self._book.digest)
        return {"engine": str(Path(engine.__file__ or "").parent.parent), "digest": digest.hexdigest()[:20]}

    def move(self, request: Message, began: float) -> Message:
        """Find a move. Time counts since ``began``."""
        if request["game"] != self._game:
            self._begin(request["game"])
            began = perf_counter()  # which is charged to nobody
        for move in request["moves"][len(self._earlier) :]:
            self._earlier.append(key_of(self._position))
            self._position = self._position.resolve(move).position
        found = self._book.choose(self._position, self._earlier) if self._book is not None else None
        if found is not None:
            return {"move": found.move, "ms": (perf_counter() - began) * 1000, "nodes": 0}
        limits = self._limits
        if "level" in limits._fields:  # which the engine has not always known
            limits = limits._replace(seed=self._game)
        if request["left"] is not None:
            left = request["left"] - (perf_counter() - began) * 1000
            soft, hard = _share(left, self._increment, self._position, len(self._earlier))
            limits = limits._replace(soft_ms=soft, hard_ms=hard)
        thought = self._think(limits)
        move = thought.move  # takes a moment, which counts
        return {"move": move, "ms": (perf_counter() - began) * 1000, "nodes": thought.nodes}

    def _think(self, limits: Any) -> Any:
        """Think about the position; interpreted until compiled code is there, then about all of the game again.

        A search builds on what earlier ones of the game have left in the table. So what is found is the same.
        """
        if self._work is None:
            return self._searcher.think(self._position, self._earlier, limits, clock=perf_counter)
        self._searched.append((self._position, list(self._earlier), limits))

        def think(kernel: Any, stop: Any) -> Any:
            missing = self._searched[-1:]
            if self._rules is not kernel.rules:
                self._searcher, self._rules = Searcher(kernel, **self._options), kernel.rules
                missing = self._searched
            for position, earlier, asked in missing:
                thought = self._searcher.think(position, earlier, asked, clock=perf_counter, stop=stop)
            return thought

        return self._work.do(think)


def _work_on(start: "Position") -> Any:
    """Return what begins interpreted, None where this version of the engine does not know that."""
    try:
        from engine.search.game_engine import AdaptiveWork
    except ImportError:
        return None
    return AdaptiveWork(start)


def _share(left: float, increment: float, position: Any, plies: int) -> tuple[float, float]:
    """Return how long to think, by the arithmetic of this version of the engine."""
    share: Any = allocate_time
    if hasattr(position, "plies_ahead"):
        soft, hard = share(left, increment, position.plies_ahead)
    else:  # older versions told how long a whole game takes
        soft, hard = share(left, increment, plies, usual_plies=position.usual_plies)
    return soft, hard


def _weighed(start: "Position", weights: dict[str, Any]) -> "Position":
    try:
        from engine.duel.weights import weighed
    except ImportError:
        raise ValueError("this version of the engine knows nothing of weights") from None
    return weighed(start, weights)


def _book_of(start: "Position", name: str) -> Any:
    try:
        from engine.duel.book.book import book_for
    except ImportError:
        raise ValueError("this version of the engine knows nothing of opening books") from None
    return book_for(start, name)


def listen(lines: Lines) -> None:
    """Read lines as they come, with the time at which they came; end the process when there are no more."""
    for line in sys.stdin.buffer:
        lines.put((perf_counter(), line))
    os._exit(0)  # also in the midst of thinking: nobody waits for it any more


def answer(message: Message) -> None:
    """Send an answer."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Answer until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the duel, and so the input
    lines: Lines = SimpleQueue()
    threading.Thread(target=listen, args=(lines,), daemon=True).start()
    try:
        process = EngineProcess(json.loads(lines.get()[1]))
        answer(process.ready())
        gc.collect()
        gc.freeze()  # what is loaded stays: not to be looked through while a clock runs
        while True:
            came, line = lines.get()
            answer(process.move(json.loads(line), came))
    except Exception as error:
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        answer({"error": f"{kind}{error}"})
        os._exit(1)  # an orderly end would trip over the thread that listens


if __name__ == "__main__":
    main()

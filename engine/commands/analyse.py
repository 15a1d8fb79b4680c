"""``arena-engine analyse``: what the search thinks of a position, depth by depth."""

from functools import partial
from time import perf_counter
from typing import Annotated

import msgspec

from engine.commands.inputs import File, Time, position_of, within
from engine.commands.program import Rejected, answer
from engine.games.interface import Position
from engine.search.game_engine import AdaptiveSearcher
from engine.search.iterative_deepening import MAX_THREADS
from engine.search.memory import MAX_DEPTH, ROOM
from engine.search.searcher import SearchLimits, SearchResult
from engine.solve.tablebase import tablebase_of

SHORTEST = 1e-9
"""Seconds that a depth takes at least, for the sake of its rate."""


def analyse(
    game: str,
    /,
    *,
    params: str | None = None,
    position: File = None,
    time: Time = None,
    depth: Annotated[int, within("depth", 1, MAX_DEPTH)] = MAX_DEPTH,
    lines: Annotated[int, within("lines", 1, ROOM)] = 1,
    exact: bool = False,
    threads: Annotated[int, within("threads", 1, MAX_THREADS)] = 1,
    no_tablebase: bool = False,
    json: bool = False,
) -> None:
    """Think about a position: a line a finished depth, with score, nodes, nodes per second, best line.

    Scores are for the side to move, a piece of GIPF being worth 100; `win 3` is a win after 3 plies, `loss 4` a
    loss after 4. The analysis ends by itself when the game's end is found. Where the time is over before the first
    depth is, the one line says `depth 0 score none` (in JSON `null`): nothing was searched.

    Parameters
    ----------
    game
        The game's name.
    params
        The variant, as in "4 4 15 15"; without it the game as it is usually played.
    position
        File with a position to think about; - is standard input.
    time
        Seconds after which to stop; without it, and without a depth, until Ctrl-C.
    depth
        Plies to search to.
    lines
        How many of the best moves to show, a line each; with more than one each begins with its rank.
    exact
        Search every move to the full depth, which finds the shortest wins.
    threads
        How many threads search at the same time; no more than there are idle cores.
    no_tablebase
        Search also where the tablebase knows the position, that is on small boards of GIPF. Otherwise it is answered
        from there at once, with the shortest wins.
    json
        Print each line as a JSON object with depth, score, plies_to_end, nodes, seconds, pv, and is_known: whether the
        score is exact, from the tablebase.
    """
    root = position_of(game, params, position)
    outcome = root.verdict()
    if outcome is not None:
        raise Rejected(f"the game is over: {outcome.detail}")
    began = perf_counter()
    limits = SearchLimits(depth=depth, hard_ms=None if time is None else time * 1000, lines=lines, exact=exact)
    report = partial(_tell_json, root) if json else partial(_tell, root, lines > 1)
    exact_values = None if no_tablebase else tablebase_of(root)
    if exact_values is not None and (known := exact_values.results(root, lines)):
        for result in known:
            report(result._replace(seconds=perf_counter() - began))
        return
    searcher = AdaptiveSearcher(root, threads=threads, tablebase=exact_values)
    thought = searcher.think(root, (), limits, clock=perf_counter, report=report)
    if thought.score is None:
        report(thought)


def _tell(root: Position, ranked: bool, thought: SearchResult) -> None:
    plies = thought.plies_to_end
    if thought.score is None:
        score = "none"
    else:
        score = str(thought.score) if plies is None else f"{'win' if plies > 0 else 'loss'} {abs(plies)}"
    rate = thought.nodes / max(thought.seconds, SHORTEST)
    line = ", ".join(_line(root, thought)) or "none"
    rank = f"line {thought.rank} " if ranked else ""
    answer(
        f"{rank}depth {thought.depth} score {score} nodes {thought.nodes} seconds {thought.seconds:.3f} "
        f"rate {rate:.0f} pv {line}"
    )


def _tell_json(root: Position, thought: SearchResult) -> None:
    fields = {
        "depth": thought.depth,
        "line": thought.rank,
        "score": thought.score,
        "plies_to_end": thought.plies_to_end,
        "nodes": thought.nodes,
        "seconds": round(thought.seconds, 6),
        "pv": _line(root, thought),
        "is_known": thought.is_known,
    }
    answer(msgspec.json.encode(fields).decode())


def _line(root: Position, thought: SearchResult) -> list[str]:
    """Return the best line; none where nothing was searched, though there is a move to play then, too."""
    return [] if thought.score is None else thought.pv(root)

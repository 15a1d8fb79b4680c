"""Matches that are made for tests: setups without files, and games that were not played."""

from collections.abc import Mapping, Sequence

from engine.match.clock import TimeControl
from engine.statistics.elo import Sprt
from server.commands.match.results import PlayedGame
from server.commands.match.setup import MatchPlayer, MatchSetup, make_setup
from server.contest.definition import Sandbox


def setup(
    names: Sequence[str] = ("ann", "bob"),
    games: int = 8,
    variants: Sequence[str] = ("3 3 3",),
    test: Sprt | None = None,
    commands: Mapping[str, tuple[str, ...]] | None = None,
    folder: str = "/",
    **changed: int,
) -> MatchSetup:
    """Return a match of m,n,k in a folder; players without a command are no programs that there are."""
    players = [MatchPlayer(name, (commands or {}).get(name, (f"./{name}",)), f"./{name}", "") for name in names]
    options = {"concurrency": 1, "move_limit": 100, "start_seconds": 60, **changed}
    return make_setup(
        players, "mnk", variants, TimeControl.of_milliseconds(1000, 10),
        plies=2, seed=1, games=games, concurrency=options["concurrency"], move_limit=options["move_limit"],
        start_seconds=options["start_seconds"], sandbox=Sandbox.NONE, test=test, folder=folder,
    )  # fmt: skip


def game(
    number: int, winner: str | None, cause: str = "board", names: Sequence[str] = ("ann", "bob"), **changed: object
) -> PlayedGame:
    """Return a game of two players, who begin in turn; without a winner it is drawn."""
    first, second = names if number % 2 == 1 else names[::-1]
    points = (0.5, 0.5) if winner is None else (float(winner == first), float(winner == second))
    causes = tuple("" if one or winner is None else cause for one in points)
    values: dict[str, object] = {
        "number": number,
        "match": number,
        "players": (first, second),
        "variant": "3 3 3",
        "points": points,
        "reason": "three_in_a_row",
        "sentence": f"sentence {number}",
        "causes": (causes[0], causes[1]),
        "plies": 5,
        "moves": (3, 2),
        "used_ms": (30.0, 10.0),
        **changed,
    }
    return PlayedGame(**values)  # type: ignore[arg-type]

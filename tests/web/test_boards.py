"""Boards of pages: drawn by the server, with pieces and marks that scripts put there."""

from random import Random

import msgspec
import pytest
from playwright.sync_api import expect

from engine.games.boards.svg import STEP, by_light
from engine.games.catalogue import GAMES
from engine.games.interface import Child, Position
from server.web.http.static_files import address
from server.web.views.board import motion, view
from tests.games.cases import random_game
from tests.web.chromium import Visit

SHOWN = (
    *(("gipf", f"{size} 3 15 15", 30) for size in (2, 4, 12)),
    ("morris", "", 25),
    ("mnk", "3 3 3", 9),
    ("mnk", "19 19 5", 60),
    ("arrows", "8 8", 60),
    ("arrows", "5 4 1 1 5 4 3 7 3 3", 60),
)
"""Games, variants, and how many random moves are made."""

DRAW = """async ([view, motion]) => {
    const { Board } = await import("MODULE");
    const container = document.createElement("div");
    document.body.append(container);
    const board = new Board(container, view);
    board.show(view, motion);
    const root = container.querySelector("svg");
    const drawn = [...root.querySelectorAll(".marks > *, .pieces > *")].map((element) => {
        const { e, f } = root.getScreenCTM().inverse().multiply(element.getScreenCTM());
        const kind = element.dataset.piece ?? element.getAttribute("class");
        return [kind, Math.round(e), Math.round(f)];
    });
    container.remove();
    return drawn;
}""".replace("MODULE", address("boards/board.js"))
"""Tells all marks and pieces of a board as a browser draws them."""

DISCS = """() => [...document.querySelectorAll("#board .piece g g:nth-child(2)")].map((one) => getComputedStyle(one).fill)"""


def reached(game: str, parameters: str, most: int) -> tuple[Position, Child]:
    """Return the last positions of a random game, with the move between them."""
    *_, before, after = random_game(GAMES[game], parameters, Random(5), most=most)
    return before, before.move_to(after.key)


@pytest.mark.slow
def test_pieces_and_marks_lie_on_their_fields(visit: Visit) -> None:
    page = visit("/play")
    for case in SHOWN:
        before, last = reached(*case)
        seen, move = view(last.position), motion(before, last.move)
        assert seen.layout is not None
        places = {name: (round(x * STEP), round(y * STEP)) for name, x, y in seen.layout.fields}
        pieces = {field: f"{side}" + ("" if way is None else f"-{way}") for field, side, way in seen.pieces}
        aims = [] if seen.ending else [(f"aim{side}", field) for side, field in enumerate(seen.aims) if field]
        marks = [("last", move.target), *(("decisive", field) for field in seen.decisive), *aims]
        expected = [
            *(("blocked", *places[field]) for field in seen.blocked),
            *((name, *places[field]) for name, field in marks if field),
            *((kind, *places[field]) for field, kind in pieces.items()),
        ]
        drawn = page.evaluate(DRAW, [msgspec.to_builtins(seen), msgspec.to_builtins(move)])
        assert sorted(map(tuple, drawn)) == sorted(expected), case
    expect(page.locator("#board .piece")).to_have_count(6)
    for night in (False, True):
        page.emulate_media(color_scheme="dark" if night else "light")
        discs = {f"rgb{tuple(bytes.fromhex(by_light(night)[name][1:]))}" for name in ("ivory", "ebony")}
        assert set(page.evaluate(DISCS)) == discs, "the colours are those of the table"

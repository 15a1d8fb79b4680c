"""The pictures of docs/rules.md: ``python -m tests.pictures`` draws them anew, by what bots and notebooks draw with."""

from collections.abc import Iterator
from pathlib import Path

from engine.games.catalogue import GAMES
from engine.games.interface import Child, Position

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"

CROSSING = "4 4 15 15\n9 14 W\nW _ _ _\nW _ _ _ _\nW _ _ _ _ _\n_ W W W B _ _\n_ _ _ _ _ _\n_ _ _ _ _\n_ _ _ _\n"
ARROWS = "6 5\n1 1\n6 5\n3 7\n3 1\n5 3\nmoves: 2 6 1 0\n"
MILL = "0 0 W\nWB_W_B__B___WWW____W_B_W\n"
LINE = "8 8 5 2\n" + "\n".join(
    ["0 0 0 0 0 0 0 0", "0 0 0 0 0 1 0 0", "0 0 0 2 1 0 0 0", "0 0 2 1 2 0 0 0", "0 0 1 2 0 0 0 0", "0 1 0 0 0 0 0 0"]
    + ["0 0 0 0 0 0 0 0"] * 2
)


def pictures() -> Iterator[tuple[str, Position, Child | None]]:
    """Yield all pictures: the name, the position, and the move that led there where it is marked."""
    for name in ("gipf", "morris"):
        yield f"{name}-start", GAMES[name].start(GAMES[name].default_parameters), None
    crossing = GAMES["gipf"].read(CROSSING)
    yield "gipf-crossing", crossing, None
    for number, choice in enumerate(("b2 b5", "b2 e5"), 1):
        taken = crossing.child(f"a1-b2 w: {choice}")
        yield f"gipf-crossing-{number}", taken.position, taken
    arrows = GAMES["arrows"].read(ARROWS)
    yield "arrows-play", arrows, Child("0", arrows)
    morris = GAMES["morris"].read(MILL)
    for move in ("14 15", "21 22"):
        morris = morris.play(move)
    yield "morris-before-mill", morris, None
    mill = morris.child("0 7 22")
    yield "morris-mill", mill.position, mill
    mnk = GAMES["mnk"].read(LINE)
    yield "mnk-line", mnk, Child("f7", mnk)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, position, last in pictures():
        (FOLDER / f"{name}.svg").write_text(position.svg(last), encoding="utf-8")

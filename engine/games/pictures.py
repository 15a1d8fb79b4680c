"""Animated GIFs of games, which Pillow encodes."""

from collections.abc import Sequence
from functools import reduce
from io import BytesIO

from engine.games.boards.png import paint
from engine.games.boards.svg import document
from engine.games.interface import Child, Position

COLOURS = 96
"""Colours of an animation: boards have some twenty, and smooth edges have mixed colours."""

MAX_MOVES = 240
"""Largest number of moves in an animation: the last moves of a longer game."""

FIRST_MS, FRAME_MS, LAST_MS = 1000, 650, 5000
"""Durations of the first frame, of each later one, and of the last one."""


def end_of(start: Position, moves: Sequence[str]) -> tuple[Position, Child | None]:
    """Return the last position, and the last move with its position; raises `engine.games.interface.BadMove`."""
    if not moves:
        return start, None
    last = reduce(Position.play, moves[:-1], start).child(moves[-1])
    return last.position, last


def animation(
    start: Position, moves: Sequence[str], players: Sequence[str], ending: str, *, night: bool = False
) -> bytes:
    """Return the positions of a game as an animated GIF, with the players above and ``ending`` in the last frame."""
    from PIL import Image

    names = " - ".join(f"{player} ({side})" for player, side in zip(players, start.game.sides, strict=True))
    position, last = start, None
    texts: list[str] = []
    for ply in range(len(moves) + 1):
        if ply:
            last = position.child(moves[ply - 1])
            position = last.position
        now = f"{ply}. {last.move}" if last else f"{position.game.name} {position.parameters}"
        title = names, ending if ply == len(moves) and ending else now
        texts.append(document(position.drawing(last), position.summary(), title, night=night))
    texts = texts[-MAX_MOVES - 1 :]

    def painted(text: str) -> Image.Image:
        return Image.open(BytesIO(paint(text, night=night))).convert("RGB")

    samples = [painted(texts[at]) for at in (0, len(texts) // 2, -1)]
    width, height = samples[0].size
    sheet = Image.new("RGB", (width, height * len(samples)))
    for row, sample in enumerate(samples):
        sheet.paste(sample, (0, row * height))
    palette = sheet.quantize(COLOURS, Image.Quantize.MEDIANCUT)
    frames = (painted(text).quantize(palette=palette, dither=Image.Dither.NONE) for text in texts)
    times = [FIRST_MS, *[FRAME_MS] * (len(texts) - 1)]
    times[-1] = LAST_MS
    file = BytesIO()
    next(frames).save(file, "GIF", save_all=True, append_images=frames, duration=times, loop=0, optimize=True)
    return file.getvalue()

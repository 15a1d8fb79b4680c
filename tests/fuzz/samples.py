"""Inputs to begin from: what is right, of every kind, and shows the words that there are."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from engine.games.catalogue import GAMES
from tests.engine.records import records
from tests.engine.test_record import ENDS, played
from tests.fuzz.targets import LONG_COMMANDS, STARTS
from tests.games.cases import random_game

DOCUMENTS = Path(__file__).parents[2] / "docs"


def samples(target: str) -> list[bytes]:
    """Return the samples of a target, all different."""
    kind, _, game = target.partition("-")
    makers = {"moves": _moves, "boards": _boards, "shell": _commands}
    texts = makers[kind](game) if game else {"records": _records, "contests": _contests, "logs": _logs}[target]()
    return [text.encode() for text in dict.fromkeys(texts)]


def _logs() -> Iterator[str]:
    yield '9 | Traceback (most recent):\n9 |   File "bot.py", line 1\n10 | \n[7 bytes are left out here]\nrest'
    yield "0 | \tloading\r\n" + "x" * 3000 + "\x1b[2J\n"


def _positions(game: str) -> Iterator[str]:
    for parameters in STARTS[game]:
        for number, position in enumerate(random_game(GAMES[game], parameters, Random(3), 12)):
            if number % 4 == 0:
                yield position.text()


def _moves(game: str) -> Iterator[str]:
    for parameters in STARTS[game]:
        position = GAMES[game].start(parameters)
        for child in list(position.children())[::5]:
            following = next(iter(child.position.children()), None)
            yield child.move if following is None else f"{child.move}\n{following.move}"
    if game == "gipf":
        yield "a3-b3 w: b3 c3 b: a1 c1 w: a3 c5"


def _boards(game: str) -> Iterator[str]:
    return _positions(game)


def _records() -> Iterator[str]:
    for end in ("", *ENDS):
        yield played("2 2 5 5", stop_after=4, end=end)
    yield records()["notes"].replace("match 17", "match 7", 1)
    text = played("2 2 5 5", stop_after=2).replace("move-limit", "lag-allowance 100.000\nmove-limit")
    yield text + "stall 60.000 120.000\nlag white 20.000\nrestarted 9000.000\nback white 9001.000\n"


def _commands(game: str) -> Iterator[str]:
    if game == "arrows":
        for position in _positions(game):
            yield f"InitGame 5\n{position}\n\nturn 255 0.01\nturn 4 0.01\nturn 2 0.01\n"
    elif game == "mnk":
        yield "GEN_ALL_POS_MOV 3 3 3 1\n0 1 2\n0 0 0\n2 1 0\n"
        yield "GEN_ALL_POS_MOV_CUT_IF_GAME_OVER 3 3 3 2\n1 1 0\n2 2 0\n0 0 0\n"
        yield "GEN_ALL_POS_MOV 2 9 3 2\n1 1 1 0 0 2 2 0 0\n0 0 0 0 0 0 0 0 0\n"
    else:
        source = (DOCUMENTS / "rules.md").read_text(encoding="utf-8")
        words = sorted(
            {word for word in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", source) if not LONG_COMMANDS.search(word)}
        )
        for position in _positions(game):
            for at in range(0, len(words), 4):
                yield f"LOAD_GAME_BOARD\n{position}\nDO_MOVE a1-b2\n" + "\n".join(words[at : at + 4]) + "\n"


def _contests() -> Iterator[str]:
    source = (DOCUMENTS / "contests.md").read_text(encoding="utf-8")
    yield from re.findall(r"```toml\n(.*?)```", source, re.DOTALL)

"""Every change of a record that its mutation test tries, and what the rules of the game say of the moves in it."""

import os
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from engine.games.catalogue import GAMES
from engine.games.interface import BadMove, GameError, History, Outcome, Termination

CAMPAIGN = bool(os.environ.get("ARENA_CAMPAIGN"))
EVENTS = [
    "ready",
    "move",
    "refused",
    "resigned",
    "unanswered",
    "gone",
    "back",
    "stall",
    "lag",
    "note",
    "restarted",
    "runs",
    "result",
]
HEADS = [
    "arena-record",
    "match",
    "game",
    "parameters",
    "budget",
    "increment",
    "lag-allowance",
    "move-limit",
    "server",
    "started",
    "position",
]
REASONS = [*Termination, "no_reserve", "line", "trapped"]
STAMPS = {
    **dict.fromkeys(("ready", "resigned", "crashed", "unanswered", "gone", "back", "runs"), (2,)),
    **{"move": (3, 4), "refused": (2, 3), "stall": (1, 2), "restarted": (1,), "result": (3,)},
}
"""Which words of a line are stamps."""


class Change(NamedTuple):
    """A record, and what was done to it."""

    before: list[str]
    after: list[str]
    at: int
    """The first line that is another one, from 0."""
    word: int = -1
    """Which word of that line was replaced; -1 where whole lines were left out, doubled or swapped."""

    @property
    def old(self) -> list[str]:
        """The words of the line as it was, and blank ones behind them."""
        return [*(self.before[self.at].split(" ") if self.at < len(self.before) else ()), *[""] * 7]

    @property
    def new(self) -> list[str]:
        """The words of the line as it is."""
        return [*(self.after[self.at].split(" ") if self.at < len(self.after) else ()), *[""] * 7]

    def __str__(self) -> str:
        near = slice(max(0, self.at - 1), self.at + 2)
        return f"{self.after[near]} in place of {self.before[near]}"


class Game(NamedTuple):
    """History and verdict of a record's moves by the rules."""

    history: History
    verdict: Outcome | None


def number(word: str) -> int:
    """Return a time in microseconds."""
    return int(word.replace(".", ""))


def written(microseconds: int) -> str:
    return f"{'-' if microseconds < 0 else ''}{abs(microseconds) // 1000}.{abs(microseconds) % 1000:03}"


def is_canonical(word: str) -> bool:
    """Tell whether a number, or a time, is written as the server writes it."""
    whole, dot, part = word.removeprefix("-").partition(".")
    return whole.isdigit() and (whole == "0" or whole[0] != "0") and len(part) == 3 * len(dot) and word != "-0.000"


@cache
def game_of(text: str) -> Game | None:
    """Play the game of a record by the rules alone; None where they do not allow it."""
    lines = text.splitlines()
    head = {line.partition(" ")[0]: line.partition(" ")[2] for line in lines}
    board = [line[2:] for line in lines if line.startswith("| ")]
    try:
        position = GAMES[head["game"]].read("\n".join(board))
    except GameError:
        return None
    if position.text().splitlines() != board or position.parameters != head["parameters"]:
        return None
    history, limit = History.begin(position), int(head["move-limit"])
    for words in (line.split(" ", 6) for line in lines if line.startswith("move ")):
        sides = position.game.sides
        if history.outcome(limit) is not None or sides[history.position.turn] != words[2]:
            return None
        try:
            history = history.after(words[6])
        except BadMove:
            return None
        if history.moves[-1] != words[6]:
            return None
    return Game(history, history.outcome(limit))


def joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


def words_of(lines: list[str], kind: str) -> list[list[str]]:
    return [line.split(" ") for line in lines if line.startswith(kind + " ")]


def other_numbers(word: str) -> list[str]:
    """Return a number changed in its last place, in each digit, in its sign, and in the way in which it is written."""
    bare = word.replace(".", "").lstrip("-")
    point = "." in word

    def again(value: int) -> str:
        return written(value) if point else str(value)

    value = int(bare) if word[0] != "-" else -int(bare)
    few = [again(value + 1), again(value - 1), again(value + 4_321_000), f"0{word}"]
    if not CAMPAIGN:
        return few
    digits = [
        word[:place] + str((int(digit) + 5) % 10) + word[place + 1 :]
        for place, digit in enumerate(word)
        if digit.isdigit()
    ]
    return [*few, *digits, f"-{word}", f"+{word}", f"{word}0", word.replace(".", ""), again(value * 10)]


def other_words(lines: list[str], at: int, place: int) -> list[str]:
    """Return what may plausibly stand in the place of a word."""
    words = lines[at].split(" ")
    word, kind = words[place], words[0]
    if place == 0:
        return [other for other in (*EVENTS, *HEADS) if other != word][:: 1 if CAMPAIGN else 7]
    if kind == "move" and place == 6:
        head = lines[: at + 1]
        game = game_of(joined(head[:-1]))
        assert game is not None
        legal = [move for move in game.history.position.legal_moves if move != word]
        return ["a1-z9", *legal[:: 1 if CAMPAIGN else 9]]
    sides = [line.split(" ")[0] for line in lines[4:6]]
    if word in sides:
        return [*(side for side in sides if side != word), "green"]
    if kind == "result" and place == 1:
        return [other for other in (*sides, "draw", "annulled", "nobody") if other != word]
    if kind == "result" and place == 2:
        return [other for other in REASONS if other != word]
    if not word[-1].isalnum():
        return [f"{word[:-1]}x{word[-1]}"]
    return [word + "x", word.upper() if word.upper() != word else word[::-1] + "y"]


def replaced(lines: list[str]) -> Iterator[Change]:
    """Replace each number and each word."""
    for at, line in enumerate(lines):
        words = line.split(" ")
        for place, word in enumerate(words):
            if not word:
                continue
            bare = word.replace(".", "", 1).lstrip("-")
            others = other_numbers(word) if bare.isdigit() and place else other_words(lines, at, place)
            for other in dict.fromkeys(others):
                if other == word:
                    continue
                changed = " ".join([*words[:place], other, *words[place + 1 :]])
                yield Change(lines, [*lines[:at], changed, *lines[at + 1 :]], at, place)


def moved(lines: list[str]) -> Iterator[Change]:
    """Leave out, double and swap each line."""
    for at in range(len(lines)):
        yield Change(lines, [*lines[:at], *lines[at + 1 :]], at)
        if at + 1 < len(lines) and lines[at] != lines[at + 1]:
            yield Change(lines, [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]], at)
        if at + 1 == len(lines) or lines[at + 1] != lines[at]:
            yield Change(lines, [*lines[: at + 1], *lines[at:]], at + 1)

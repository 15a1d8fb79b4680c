"""The file in which the results of a match are kept, so that it can be continued after Ctrl-C, a crash or a kill.

JSON lines: first the `Setting`, on which every game depends, then a `PlayedGame` a line in the order in which games
ended. A line is written in one piece; one that is half written counts as not there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from engine.commands.game_files import opened_to_append, resume
from engine.duel.game_file import BadGames, line_of, read_games, read_setting
from server.commands.match.setup import Setting
from server.commands.match.tally import PlayedGame

_SETTINGS = msgspec.json.Decoder(Setting)
_GAMES = msgspec.json.Decoder(PlayedGame)


class ResultsFile:
    """Where games are kept; nowhere, where there is no file."""

    def __init__(self, name: str, file: BinaryIO | None) -> None:
        """Take a file that was opened to read and append."""
        self._name = name
        self._file = file

    def resume(self, setting: Setting, games: int) -> list[PlayedGame]:
        """Return the games of the file, of the first ``games`` of the match; an empty file becomes one of this match.

        Raises `BadGames`: for the file of another match, and for one that is none.
        """
        if self._file is None:
            return []
        try:
            found = resume(self._file, self._name, "game", setting, lambda content: _read(content, setting))
        except BadGames as error:
            raise BadGames(f"--results {self._name}: {error}") from None
        return [game for game in found if game.number <= games]

    def keep(self, game: PlayedGame) -> None:
        """Append a game; raises OSError."""
        if self._file is not None:
            self._file.write(line_of(game))


@contextmanager
def opened_results(path: Path | None) -> Iterator[ResultsFile]:
    """Open a file of results for this process alone, a new one where there is none; without a path, none.

    Raises `engine.commands.inputs.Rejected`.
    """
    if path is None:
        yield ResultsFile("", None)
        return
    with opened_to_append(str(path), f"--results {path}", "match") as file:
        yield ResultsFile(str(path), file)


def _read(content: bytes, setting: Setting) -> list[PlayedGame]:
    there = read_setting(content, _SETTINGS, "a match")
    if differences := list(_differences(there, setting)):
        raise BadGames(
            f"this file holds another match: {'; '.join(differences)}. Name another file, or ask for the same"
        )
    return read_games(content, _GAMES, "game of a match", least=1)


def _differences(there: Setting, here: Setting) -> Iterator[str]:
    """Yield in what two settings differ."""
    players = [[player.name for player in setting.players] for setting in (there, here)]
    if players[0] != players[1]:
        yield f"its players are {', '.join(players[0])}, and here {', '.join(players[1])}"
    else:
        for old, new in zip(there.players, here.players, strict=True):
            if old.command != new.command:
                yield f"{old.name} is {old.command!r} there, and {new.command!r} here"
            elif old.digest != new.digest:
                yield f"{new.name} has changed since"
    for field in msgspec.structs.fields(Setting):
        old, new = getattr(there, field.name), getattr(here, field.name)
        if field.name != "players" and old != new:
            yield f"{field.name.replace('_', ' ')} is {_shown(old)} there, and {_shown(new)} here"


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)

"""Who plays on the ladder: levels and programs of its file, active versions of bots, and bots that connect. Pure."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from server.contest.definition import Entrant
from server.league.ladder.definition import LadderDefinition
from server.league.ladder.players import LadderPlayer


class ActiveVersion(NamedTuple):
    """The version of a bot that its author lets play."""

    bot: str
    owner: str
    number: int
    command: tuple[str, ...]
    """What starts it on this machine."""
    folder: Path
    """Where it was built; absolute."""


class ConnectedBot(NamedTuple):
    """A bot that plays on its author's machine, and waits for a game."""

    bot: str
    owner: str


class Listed(NamedTuple):
    """Somebody who plays on the ladder, and how."""

    player: LadderPlayer
    version: int
    """0 for what the ladder file names, and for bots that connect."""
    entrant: Entrant | None
    """How it is started, if it is; None for the built-in bot."""

    @property
    def connects(self) -> bool:
        """Tell whether it plays on its author's machine."""
        return self.entrant is not None and self.entrant.connects


def roster(
    definition: LadderDefinition, versions: Iterable[ActiveVersion], connected: Iterable[ConnectedBot] = ()
) -> dict[str, Listed]:
    """Return who plays, by name.

    A bot that is called as somebody whom the file names is left out, and so is one that connects while a version of it
    plays.
    """
    listed = {level.name: Listed(LadderPlayer(level.name, "", level.anchor), 0, None) for level in definition.levels}
    for program in definition.programs:
        entrant = Entrant(program.name, program.command, folder=program.folder)
        listed[program.name] = Listed(LadderPlayer(program.name, program.owner), 0, entrant)
    taken = {name.lower() for name in listed}
    for version in versions:
        if version.bot.lower() not in taken:
            entrant = Entrant(version.bot, version.command, folder=str(version.folder))
            listed[version.bot] = Listed(LadderPlayer(version.bot, version.owner), version.number, entrant)
    taken = {name.lower() for name in listed}
    for one in connected:
        if one.bot.lower() not in taken:
            listed[one.bot] = Listed(LadderPlayer(one.bot, one.owner), 0, Entrant(one.bot, ()))
    return listed

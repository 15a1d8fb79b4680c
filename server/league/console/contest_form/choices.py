"""Who can be chosen as an entrant in the form. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from server.config.builtin_bot import BUILTIN_NAMES
from server.contest.definition import Entrant
from server.league.console.contest_form.fields import BOT, BUILTIN, PLAYER, Fields
from server.league.console.contest_form.filling import entrant_field


class Choice(NamedTuple):
    """Somebody who can be chosen."""

    field: str
    name: str


class Choices(NamedTuple):
    """All who can be chosen, each once; entrants come in this order, and those of the contest that is copied first."""

    copied: tuple[Choice, ...]
    bots: tuple[Choice, ...]
    builtin: tuple[Choice, ...]
    players: tuple[Choice, ...]


def choices(earlier: Sequence[Entrant], bots: Sequence[str], here: Iterable[str], chosen: Fields) -> Choices:
    """Return who can be chosen: entrants of the earlier contest, bots with an active version, and who is logged in.

    Whoever was chosen before stays among them, also who has gone meanwhile.
    """
    seen: set[str] = set()

    def new(fields: Iterable[str]) -> Iterator[Choice]:
        for field in fields:
            name = field.partition(".")[2]
            if name.lower() not in seen:
                seen.add(name.lower())
                yield Choice(field, name)

    def chosen_of(kind: str) -> list[str]:
        return [field for field in chosen if field.startswith(kind)]

    return Choices(
        tuple(new(map(entrant_field, earlier))),
        tuple(new([*(f"{BOT}{bot}" for bot in bots), *chosen_of(BOT)])),
        tuple(new([f"{BUILTIN}{name}" for name in BUILTIN_NAMES])),
        tuple(new([*(f"{PLAYER}{name}" for name in here), *chosen_of(PLAYER)])),
    )

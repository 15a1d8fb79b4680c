"""The players of contests: who waits for a game, who is leased for one, and which seats are kept for programs.

The arena asks it about every log-in and every seek; who plays a contest (`server.contest.runtime.runner`) takes from it
whom it needs.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import trio

from engine.clock import TimeControl
from engine.wire.codes import Code, ProtocolError
from engine.wire.states import State
from engine.wire.words import ANY
from server.arena.matchmaking import Seek
from server.config.tokens import hashed
from server.contest.definition import Definition, Entrant, Knockout
from server.contest.fixtures import Fixture
from server.contest.report.structure import Pause

if TYPE_CHECKING:
    from server.arena.arena import Arena, Player
    from server.match.match import Match


class ProgramCredential:
    """The seat of a program in one game of a contest: the token that it logs in with, and its session."""

    def __init__(self, name: str, number: int) -> None:
        """Make a token that nobody else has; ``number`` tells the games of one name apart."""
        self.name = name
        self.token = secrets.token_hex(16)
        self.key = f"{name.lower()}/{number}"
        """Its place among the sessions; with a character that no name has."""
        self.player: Player | None = None
        """Its session, from its log-in on."""
        self.here = trio.Event()
        """Set as soon as it seeks."""
        self.gone = trio.Event()
        """Set when its session is closed."""
        self.failed = False
        """Whether something went wrong in the server with its session."""
        self.refused = ""
        """The sentence of the last `ERROR` that its program was answered by."""


class WaitingEntrant(NamedTuple):
    """An entrant that waits for its next game."""

    player: "Player"
    seek: Seek | None
    """What it asks for; None for anything."""
    since: float
    """When it began to wait, by trio's clock."""


class Lease:
    """Two players, or one, that are kept for a game while it is set up: no other contest takes them.

    They go on waiting at the contest's players. So one who leaves is not there any more, and one who comes back is; and
    however setting up ends, nobody has to be put back.
    """

    def __init__(self, waiting: dict[str, WaitingEntrant], names: Sequence[str]) -> None:
        """Keep players who wait, by names; made by `ContestPlayers.lease`."""
        self._waiting = waiting
        self._names = names

    def absent(self) -> list[str]:
        """Return who does not wait any more."""
        return [name for name in self._names if name.lower() not in self._waiting]

    @contextmanager
    def taken(self) -> Iterator[dict[str, "Player"]]:
        """Return the sessions by name, of all of them, who wait no longer; where this is left by an error, they do.

        To be left without waiting for anything. Raises KeyError where one is `absent`.
        """
        free = {name: self._waiting[name.lower()] for name in self._names}
        for one in free.values():
            del self._waiting[one.player.key]
        try:
            yield {name: one.player for name, one in free.items()}
        except BaseException:
            for one in free.values():
                if one.player.state is State.SEEKING:
                    self._waiting[one.player.key] = one
            raise


class Presence(NamedTuple):
    """What goes on in a contest at the moment."""

    running: frozenset[Fixture] = frozenset()
    """Games that are played, or whose programs are starting."""
    missing: tuple[str, ...] = ()
    """Entrants that connect by themselves, have games to play, and are not there."""
    paused: Pause | None = None
    """The pause that lasts; None where all is well."""
    notes: tuple[str, ...] = ()
    """What was found when the server started, for the report."""


class ContestPlayers:
    """All contests that are played, as the arena sees them."""

    @staticmethod
    def of(arena: "Arena") -> "ContestPlayers":
        """Return those of an arena that was made with some."""
        found = arena.contest_players
        assert isinstance(found, ContestPlayers)
        return found

    def __init__(self) -> None:
        """Begin without a contest."""
        self.present: dict[int, Presence] = {}
        """By contest: what the store does not know of it."""
        self._contests: dict[int, tuple[Definition, Callable[[], None]]] = {}
        self._by_name: dict[str, dict[int, Entrant]] = {}
        """By name, in lower case, and contest: the entrants of all contests."""
        self._free: dict[str, WaitingEntrant] = {}
        self._leased: set[str] = set()
        """Those of them that are kept for a game that is being set up."""
        self._tickets: dict[str, ProgramCredential] = {}
        """By the SHA-256 of their tokens."""
        self._seated: dict[Player, ProgramCredential] = {}
        self._issued = 0
        self._over: dict[int, trio.Event] = {}
        self._kept: set[int] = set()

    # For who plays a contest.

    def open(self, contest: int, definition: Definition, changed: Callable[[], None]) -> None:
        """Let a contest begin; ``changed`` is called whenever a player of it comes or goes."""
        self._contests[contest] = (definition, changed)
        for entrant in definition.entrants:
            self._by_name.setdefault(entrant.name.lower(), {})[contest] = entrant

    def leave(self, contest: int) -> None:
        """A contest is not played any more, for now or for good."""
        definition, _ = self._contests.pop(contest)
        for entrant in definition.entrants:
            of_one = self._by_name[entrant.name.lower()]
            of_one.pop(contest, None)
            if not of_one:
                del self._by_name[entrant.name.lower()]
        self.present.pop(contest, None)

    def over(self, definition: Definition) -> None:
        """A contest has ended: send those home who wait, and take part in no other."""
        for free in list(self._free.values()):
            name = free.player.name.lower()
            if any(entrant.name.lower() == name for entrant in definition.entrants) and not any(self._entrants(name)):
                self._send_home(free.player, f"the contest {definition.name!r} is over")

    def disqualify(self, definition: Definition, name: str, reason: str) -> None:
        """Send somebody home who waits, and may play no more in the only contest that he takes part in."""
        free = self._free.get(name.lower())
        if free is not None and len(list(self._entrants(name))) == 1:
            self._send_home(free.player, f"{name} plays no more in the contest {definition.name!r}: {reason}")

    def _send_home(self, player: "Player", sentence: str) -> None:
        del self._free[player.key]
        player.close("over", sentence)

    def connected(self, name: str, fixture: Fixture, definition: Definition) -> bool:
        """Tell whether an entrant waits, and would play a game."""
        free = self._free.get(name.lower())
        return free is not None and _fits(free.seek, fixture, definition)

    def waiting_since(self, name: str) -> float | None:
        """Return since when an entrant has been waiting, by trio's clock; None where it does not."""
        free = self._free.get(name.lower())
        return None if free is None else free.since

    def free(self, names: Iterable[str]) -> list[str]:
        """Return who of these waits for a game, and is kept for none."""
        return [name for name in names if name.lower() in self._free and name.lower() not in self._leased]

    @contextmanager
    def lease(self, names: Sequence[str]) -> Iterator[Lease]:
        """Keep entrants that are `free` for a game, until this is left."""
        keys = {name.lower() for name in names}
        assert not keys & self._leased
        self._leased |= keys
        try:
            yield Lease(self._free, names)
        finally:
            self._leased -= keys
            for name in names:
                for _, changed in self._entrants(name):
                    changed()

    def issue(self, name: str) -> ProgramCredential:
        """Keep a seat for a program."""
        self._issued += 1
        ticket = ProgramCredential(name, self._issued)
        self._tickets[hashed(ticket.token)] = ticket
        return ticket

    def withdraw(self, ticket: ProgramCredential) -> None:
        """Let nobody come with a ticket any more; who came with it has to go."""
        self._tickets.pop(hashed(ticket.token), None)
        if ticket.player is not None:
            ticket.player.close("over", "the game is over, and with it this session")

    def end_of(self, match: int, *, keep: bool) -> trio.Event:
        """Return what is set when a match is over; with ``keep`` it goes on when the server is started again."""
        over = self._over[match] = trio.Event()
        if keep:
            self._kept.add(match)
        return over

    # For the arena.

    def seat_of(self, name: str, token: str) -> str | None:
        """Return where a program has its place that logs in with the token of its seat, None where it is no such.

        Raises `ProtocolError` where the name is that of a program, and the token is not.
        """
        ticket = self._tickets.get(hashed(token)) if token else None
        if ticket is not None and ticket.name.lower() == name.lower() and ticket.player is None:
            return ticket.key
        for contest, entrant in self._by_name.get(name.lower(), {}).items():
            if not entrant.connects:
                title = self._contests[contest][0].name
                sentence = f"{name} is a program that the server starts itself, in the contest {title!r}"
                raise ProtocolError(Code.NAME_TAKEN, sentence)
        return None

    def key_of(self, token: str) -> str:
        """Return the place among the sessions that the token of a seat leads to; empty where there is none any more."""
        ticket = self._tickets.get(hashed(token))
        return "" if ticket is None else ticket.key

    def token_of(self, key: str) -> str:
        """Return the hash of the token by which an entrant logs in, empty where its contest names none."""
        return next((entrant.token for entrant in self._by_name.get(key, {}).values() if entrant.token), "")

    def entered(self, player: "Player", token: str) -> None:
        """Take note of the session of a program that `seat_of` has let in."""
        ticket = self._tickets[hashed(token)]
        ticket.player = player
        self._seated[player] = ticket

    def refused(self, token: str, sentence: str) -> None:
        """A request of the program that has a ticket was answered by an error."""
        ticket = self._tickets.get(hashed(token))
        if ticket is not None:
            ticket.refused = sentence

    def failed(self, player: "Player") -> None:
        """Something went wrong in the server while it did what a player asked for."""
        if player in self._seated:
            self._seated[player].failed = True

    def offers(self, player: "Player", seek: Seek | None) -> bool:
        """Take a player for a contest; False where none waits for it. ``seek`` is None for whatever is to be played.

        Raises `ProtocolError` where what it asks for is never played in its contests.
        """
        ticket = self._seated.get(player)
        if ticket is not None:
            ticket.here.set()
            return True
        contests = list(self._entrants(player.name))
        if not contests and seek is not None:
            return False
        if contests and not any(_plays(seek, definition) for definition, _ in contests):
            sentence = f"{player.name} takes part in the contest {contests[0][0].name!r}, in which that is not played"
            raise ProtocolError(Code.BAD_ARGUMENTS, f"{sentence}; SEEK {ANY} is right for all of it")
        self._free[player.key] = WaitingEntrant(player, seek, trio.current_time())
        for _, changed in contests:
            changed()
        return True

    def remove(self, player: "Player") -> None:
        """A player waits no longer, or is gone."""
        ticket = self._seated.pop(player, None)
        if ticket is not None:
            ticket.gone.set()
        free = self._free.get(player.key)
        if free is not None and free.player is player:
            del self._free[player.key]
            for _, changed in self._entrants(player.name):
                changed()

    def ended(self, match: "Match") -> None:
        """A match has ended."""
        self._kept.discard(match.number)
        over = self._over.pop(match.number, None)
        if over is not None:
            over.set()

    def keeps(self, match: int) -> bool:
        """Tell whether a match is to go on when the server is started again."""
        return match in self._kept

    def close(self) -> "list[Player]":
        """Give up all who wait, and return them."""
        players = [free.player for free in self._free.values()]
        self._free = {}
        return players

    def _entrants(self, name: str) -> Iterator[tuple[Definition, Callable[[], None]]]:
        """Name the contests that a player takes part in that connects by itself."""
        for contest, entrant in self._by_name.get(name.lower(), {}).items():
            if entrant.connects:
                yield self._contests[contest]


def _plays(seek: Seek | None, definition: Definition) -> bool:
    """Tell whether anything in a contest is what a player asks for."""
    if seek is None:
        return True
    controls = [stage.control for stage in definition.stages]
    controls += [stage.format.control for stage in definition.stages if isinstance(stage.format, Knockout)]
    controls += [definition.qualification.control] if definition.qualification is not None else []
    return any(
        _asks_for(seek, variant.game, variant.parameters, control)
        for variant in definition.variants
        for control in controls
    )


def _fits(seek: Seek | None, fixture: Fixture, definition: Definition) -> bool:
    variant = definition.variants[fixture.variant]
    return seek is None or _asks_for(seek, variant.game, variant.parameters, fixture.control(definition))


def _asks_for(seek: Seek, game: str, parameters: str, control: TimeControl) -> bool:
    """Tell whether a seek is for a game; whom it meets and who begins is for the contest to say."""
    return (
        seek.game == game
        and seek.parameters in (None, parameters)
        and seek.budget in (None, control.budget)
        and seek.increment in (None, control.increment)
        and seek.side is None
        and seek.opponent is None
    )

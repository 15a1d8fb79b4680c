"""The players of contests: waiting entrants, their attendance, leases for games, and credentials of programs.

The arena asks it about every log-in and every seek. The runner of a contest (`server.contest.runtime.runner`) takes its
players from it.
"""

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import trio

from engine.match.clock import TimeControl
from engine.wire import messages as m
from engine.wire.words import ANY, nearest
from server.arena.matchmaking import Seek
from server.config.tokens import hashed
from server.contest.definition import Definition, Entrant, Variant
from server.contest.fixtures import Fixture, GameResult
from server.contest.hosts.host import PlayerMissing
from server.contest.report import formatting
from server.contest.report.structure import Pause
from server.contest.scoring import absence_result, missing_sentence
from server.storage.player_logs import FindKept

if TYPE_CHECKING:
    from server.arena.arena import Arena
    from server.arena.lobby import Player
    from server.contest.programs.program import Program
    from server.match.match import Match

MAX_NAMED_CONTESTS = 3
"""Contests, the newest ones, in a notice for a player who is an entrant of none."""


class ProgramCredential:
    """The login of a program for one game of a contest: its token and its session."""

    program: "Program"
    """Its program, as soon as that has started."""

    def __init__(self, name: str, number: int, *, is_builtin: bool) -> None:
        """Make a unique token; ``number`` distinguishes the games of a name."""
        self.name = name
        self.is_builtin = is_builtin
        self.connects = False
        """Whether its program has started and connects by itself."""
        self.token = secrets.token_hex(16)
        self.key = f"{name.lower()}/{number}"
        """Its place among the sessions; with a character that no name has."""
        self.player: Player | None = None
        """Its session, from its log-in on."""
        self.here = trio.Event()
        """Set at its first SEEK."""
        self.gone = trio.Event()
        """Set when its session is closed."""
        self.failed = False
        """Whether something went wrong in the server with its program or its session."""

    def missing(self, what: str, termination: str) -> PlayerMissing:
        """Return why its player does not play. The server is to blame for its own bots, and for its own faults."""
        fault = self.is_builtin or self.failed
        return PlayerMissing(f"{self.name} {what}", () if fault else (self.name,), fault=fault, termination=termination)


class WaitingEntrant(NamedTuple):
    """A connected entrant that waits for its next game."""

    player: "Player"
    seek: Seek | None
    """The requested game; None for any."""
    since: float
    """When it began to wait, by trio's clock."""
    rated: bool = False
    """Whether it asks for games of the ladder; those of its contests come first."""


class RatedGames(NamedTuple):
    """The interface of the ladder for players who connect by themselves."""

    why_not: Callable[[str], str]
    """Returns why a player of a name is not rated, as a sentence; empty if it is. Called in any thread."""
    changed: Callable[[], None]
    """Called when a player begins to wait."""


class Presence(NamedTuple):
    """Running games, missing entrants, the pause and the actions of a contest at the moment."""

    running: frozenset[Fixture] = frozenset()
    """Games that are played, or whose programs are starting."""
    missing: tuple[str, ...] = ()
    """Entrants that connect by themselves, have games to play, and are not there."""
    paused: Pause | None = None
    """The pause that lasts; None where all is well."""
    interventions: int = 0
    """The number of the organiser's actions."""


class ContestPlayers:
    """The players of all running contests, as the arena sees them."""

    @staticmethod
    def of(arena: "Arena") -> "ContestPlayers":
        """Return the contest players of an arena that has them."""
        found = arena.contest_players
        assert isinstance(found, ContestPlayers)
        return found

    def __init__(self, find_kept: FindKept = lambda _match, _name: None, *, only_programs: bool = False) -> None:
        """Begin without a contest; ``find_kept`` looks into the store for what contests have of players in matches.

        ``only_programs`` tells that nobody but programs of contests can connect.
        """
        self.find_kept = find_kept
        self._only_programs = only_programs
        self.present: dict[int, Presence] = {}
        """By contest: what the store does not know of it."""
        self._contests: dict[int, tuple[Definition, Callable[[], None]]] = {}
        self._by_name: dict[str, dict[int, Entrant]] = {}
        """By name, in lower case, and contest: the entrants of all contests."""
        self._free: dict[str, WaitingEntrant] = {}
        self._leased: set[str] = set()
        """Free entrants that are reserved for a game that is being set up."""
        self._tickets: dict[str, ProgramCredential] = {}
        """By the SHA-256 of their tokens."""
        self._seated: dict[Player, ProgramCredential] = {}
        self._issued = 0
        self._finished: dict[Player, str] = {}
        """Sentence for players whose contest has ended before their next SEEK."""
        self._over: dict[int, trio.Event] = {}
        self._kept: set[int] = set()
        self.ladder: RatedGames | None = None
        """None where the server plays no ladder."""

    # for runners of contests

    def open(self, contest: int, definition: Definition, changed: Callable[[], None]) -> None:
        """Register a contest; ``changed`` is called whenever one of its players comes or goes."""
        self._contests[contest] = (definition, changed)
        for entrant in definition.entrants:
            self._by_name.setdefault(entrant.name.lower(), {})[contest] = entrant
        for free in self._free.values():
            self.notify_stranger(free.player)

    def leave(self, contest: int) -> None:
        """Forget a contest that is not played any more."""
        del self._contests[contest]
        for name, of_one in list(self._by_name.items()):
            of_one.pop(contest, None)
            if not of_one:
                del self._by_name[name]
        self.present.pop(contest, None)

    def over(self, definition: Definition, sessions: "Mapping[str, Player]") -> None:
        """Close the sessions of waiting players when a contest has ended, if they take part in no other.

        A player that does not wait, as directly after the last game, keeps its session until its next SEEK.
        """
        sentence = f"the contest {definition.name!r} is over"
        for entrant in definition.entrants:
            key = entrant.name.lower()
            if not entrant.connects or any(self._entrants(key)):
                continue
            free = self._free.get(key)
            if free is None and key in sessions:
                self._finished[sessions[key]] = sentence
            elif free is not None and not free.rated:
                self._disconnect(free.player, sentence)

    def finished(self, player: "Player") -> str:
        """Return the sentence that the contest of a player is over; empty if it is not."""
        return "" if any(self._entrants(player.name)) else self._finished.get(player, "")

    def disqualify(self, definition: Definition, name: str, reason: str) -> None:
        """Close the session of a waiting player who is disqualified in its only contest."""
        free = self._free.get(name.lower())
        if free is not None and not free.rated and len(list(self._entrants(name))) == 1:
            self._disconnect(free.player, f"{name} plays no more in the contest {definition.name!r}: {reason}")

    def _disconnect(self, player: "Player", sentence: str) -> None:
        del self._free[player.key]
        player.close("over", sentence)

    def connected(self, name: str, fixture: Fixture, definition: Definition) -> bool:
        """Tell whether an entrant waits and accepts a game."""
        free = self._free.get(name.lower())
        if free is None or free.seek is None:
            return free is not None
        return _accepts(free.seek, definition.variants[fixture.variant], definition.control(fixture))

    def waits(self, name: str, seconds: float) -> bool:
        """Tell whether an entrant has waited for so long."""
        free = self._free.get(name.lower())
        return free is not None and trio.current_time() - free.since >= seconds

    def free(self, names: Iterable[str]) -> list[str]:
        """Return which of these entrants wait for a game and are not leased."""
        return [name for name in names if name.lower() in self._free and name.lower() not in self._leased]

    def waiting_for_ladder(self) -> list[str]:
        """Return who waits for games of the ladder, and is wanted by no contest. For any thread."""
        rated = (free.player.name for free in list(self._free.values()) if free.rated)
        return [name for name in self.free(rated) if not any(self._entrants(name))]

    @contextmanager
    def lease(self, names: Sequence[str]) -> Iterator[None]:
        """Reserve `free` entrants for a game while it is set up.

        They stay in the list of waiting players, which follows all arrivals and departures meanwhile. So nothing has to
        be restored when the setup fails.
        """
        keys = {name.lower() for name in names}
        assert not keys & self._leased
        self._leased |= keys
        try:
            yield
        finally:
            self._leased -= keys
            for name in names:
                for _, changed in self._entrants(name):
                    changed()

    def waiting(self, names: Iterable[str]) -> dict[str, "Player"]:
        """Return by name the sessions of these entrants that wait."""
        return {name: self._free[name.lower()].player for name in names if name.lower() in self._free}

    def take(self, names: Iterable[str]) -> None:
        """Remove waiting entrants, whose match has begun."""
        for name in names:
            del self._free[name.lower()]

    def issue(self, name: str, *, is_builtin: bool = False) -> ProgramCredential:
        """Issue a credential for a program."""
        self._issued += 1
        ticket = ProgramCredential(name, self._issued, is_builtin=is_builtin)
        self._tickets[hashed(ticket.token)] = ticket
        return ticket

    def withdraw(self, ticket: ProgramCredential) -> None:
        """Withdraw a credential, and close its session."""
        self._tickets.pop(hashed(ticket.token), None)
        if ticket.player is not None:
            ticket.player.close("over", "the game is over, and with it this session")

    def end_of(self, match: int, *, keep: bool) -> trio.Event:
        """Return an event that is set at the end of a match; with ``keep`` it survives a restart of the server."""
        over = self._over[match] = trio.Event()
        if keep:
            self._kept.add(match)
        return over

    # for the arena

    def seat_of(self, name: str, token: str) -> str | None:
        """Return the credential of a program that logs in with a token; None if it has none.

        Raises `ProtocolError` where the name is that of a program and the token is not, or the token that of another.
        """
        ticket = self._tickets.get(hashed(token)) if token else None
        if ticket is not None and ticket.player is None:
            if ticket.name.lower() == name.lower():
                return ticket.key
            sentence = f"this token is for {ticket.name}, not for {name}: log in by the name that ARENA_NAME says"
            raise m.ProtocolError(m.Code.BAD_TOKEN, sentence)
        for contest, entrant in self._by_name.get(name.lower(), {}).items():
            if not entrant.connects:
                title = self._contests[contest][0].name
                sentence = f"{name} is a program that the server starts itself, in the contest {title!r}"
                token = "it logs in with the token in ARENA_TOKEN: LOGIN NAME TOKEN"
                raise m.ProtocolError(m.Code.NAME_TAKEN, f"{sentence}; {token}")
        return None

    def key_of(self, token: str) -> str:
        """Return the key of the session that the token of a credential leads to; empty if there is none any more."""
        ticket = self._tickets.get(hashed(token))
        return "" if ticket is None else ticket.key

    def token_of(self, key: str) -> str:
        """Return the hash of the token with which an entrant logs in, empty if there is none. For any thread."""
        return next((entrant.token for entrant in list(self._by_name.get(key, {}).values()) if entrant.token), "")

    def is_entrant(self, name: str) -> bool:
        """Tell whether a name is that of an entrant of a contest."""
        return name.lower() in self._by_name

    def entered(self, player: "Player", token: str) -> None:
        """Remember the session of a program that `seat_of` has accepted."""
        ticket = self._tickets[hashed(token)]
        ticket.player = player
        self._seated[player] = ticket

    def refused(self, player: "Player", refusal: str) -> bool:
        """Pass a refused line on to the program of a session; return False where the session is no program's."""
        known = self._seated.get(player) or self._tickets.get(hashed(player.seat_token))
        absent = [one for one in self._tickets.values() if one.player is None and one.connects and self._only_programs]
        tickets = absent if known is None else [known]  # a player that has not logged in is one of those
        for ticket in tickets:
            ticket.program.refuse(refusal)
        return bool(tickets)

    def failed(self, player: "Player") -> None:
        """Note that the server failed while it handled a player's request."""
        if player in self._seated:
            self._seated[player].failed = True

    def why_unrated(self, name: str) -> str:
        """Return why a player can have no games of the ladder, as a sentence; empty if it can. For any thread."""
        return "this server plays no ladder" if self.ladder is None else self.ladder.why_not(name)

    def offers(self, player: "Player", seek: Seek | None, *, rated: bool = False) -> bool:
        """Offer a player to the contests, or ``rated`` to the ladder, too; False if none takes it.

        ``seek`` is None for any game.

        Raises `ProtocolError` where what it asks for is never played in its contests.
        """
        if (ticket := self._seated.get(player)) is not None:
            ticket.here.set()
            return True
        contests = list(self._entrants(player.name))
        if not contests and seek is not None:
            return False
        if contests and not any(_plays(seek, definition) for definition, _ in contests):
            sentence = f"{player.name} takes part in the contest {contests[0][0].name!r}, in which that is not played"
            raise m.ProtocolError(m.Code.BAD_ARGUMENTS, f"{sentence}; SEEK {ANY} is right for all of it")
        self._free[player.key] = WaitingEntrant(player, seek, trio.current_time(), rated)
        for _, changed in contests:
            changed()
        if rated and self.ladder is not None:
            self.ladder.changed()
        return True

    def notify_stranger(self, player: "Player") -> None:
        """Send a waiting player the names of the entrants that connect, if it is in no contest but some are open."""
        free = self._free.get(player.key)
        contests = {
            number: entrants
            for number, (definition, _) in self._contests.items()
            if (entrants := [entrant.name for entrant in definition.entrants if entrant.connects])
        }
        if free is None or free.rated or not contests or self.is_entrant(player.name):
            return
        parts = [f"no contest here has an entrant {player.name}"]
        for number, entrants in list(contests.items())[-MAX_NAMED_CONTESTS:]:
            title, missing = self._contests[number][0].name, self.present.get(number, Presence()).missing
            shown = formatting.names(missing or entrants)
            parts.append(f"{title} waits for {shown}" if missing else f"{shown} play in {title}")
        meant = nearest(player.name, chain.from_iterable(contests.values()))
        parts += [f"is {meant} meant?"] if meant else []
        player.reply(m.Notice(m.Code.UNKNOWN_PLAYER, m.Text("; ".join(parts))))

    def remove(self, player: "Player") -> None:
        """Remove a player who waits no longer, or has left."""
        self._finished.pop(player, None)
        if (ticket := self._seated.pop(player, None)) is not None:
            ticket.gone.set()
        free = self._free.get(player.key)
        if free is not None and free.player is player:
            del self._free[player.key]
            for _, changed in self._entrants(player.name):
                changed()

    def ended(self, match: "Match") -> None:
        """Note that a match has ended."""
        self._kept.discard(match.number)
        if (over := self._over.pop(match.number, None)) is not None:
            over.set()

    def keeps(self, match: int) -> bool:
        """Tell whether a match goes on when the server is started again."""
        return match in self._kept

    def close(self) -> "list[Player]":
        """Remove all waiting players, and return them."""
        free, self._free = self._free, {}
        return [one.player for one in free.values()]

    def _entrants(self, name: str) -> Iterator[tuple[Definition, Callable[[], None]]]:
        """Return the contests of a player who connects by itself."""
        for contest, entrant in list(self._by_name.get(name.lower(), {}).items()):
            if entrant.connects:
                yield self._contests[contest]


POLL_SECONDS = 1.0
"""Interval of the poll for changes that no event announces."""

STEADY_SECONDS = 2.0
"""An entrant that was missing is there again when it has waited for so long, or a match of it has begun.

An entrant that comes and goes all the time is there at some polls, and never long enough to play."""


class Attendance:
    """The attendance of the entrants of a contest that connect by themselves."""

    def __init__(self, contest_players: ContestPlayers, connecting: frozenset[str]) -> None:
        """Take the names, and the contest players that wait."""
        self.connecting = connecting
        self.absent: tuple[str, ...] = ()
        """Entrants that were missing at the last poll."""
        self._contest_players = contest_players
        self._missing: dict[str, float] = {}
        """For how many seconds entrants have been missing."""
        self._polled = float("-inf")

    def absent_from(self, definition: Definition, fixture: Fixture) -> list[str]:
        """Return the players of a game that should connect, and do not wait."""
        return [
            name
            for name in fixture.players
            if name in self.connecting and not self._contest_players.connected(name, fixture, definition)
        ]

    def poll(
        self, definition: Definition, due: Collection[Fixture], running: Mapping[Fixture, int | None], *, counts: bool
    ) -> list[Fixture]:
        """Return the games whose players are present; measure how long others have been missing.

        Time in which the server stood still does not count, nor that before a look that does not ``count``.
        """
        if not self.connecting:
            return list(due)
        playing = {name for fixture, match in running.items() if match is not None for name in fixture.players}
        absent = {fixture: self.absent_from(definition, fixture) for fixture in due}
        missing = {name for names in absent.values() for name in names} - playing
        now = trio.current_time()
        passed, self._polled = min(now - self._polled, 2 * POLL_SECONDS) if counts else 0.0, now
        steady = {name for name in self._missing if self._contest_players.waits(name, STEADY_SECONDS)}
        known = {name: seconds for name, seconds in self._missing.items() if name not in playing | steady - missing}
        self._missing = known | {name: known[name] + passed if name in known else 0.0 for name in missing}
        self.absent = tuple(sorted(missing))
        return [fixture for fixture, names in absent.items() if not names]

    def pardon(self, name: str) -> None:
        """Count the absence of an entrant from now on, since it was reinstated."""
        self._missing[name] = 0.0

    def given_up(self, definition: Definition, due: Collection[Fixture]) -> list[GameResult]:
        """Return the games that entrants lose by missing longer than the contest's patience."""
        out = {name for name in self.absent if self._missing[name] >= definition.patience}
        return [
            absence_result(fixture, names, missing_sentence(names, definition.patience))
            for fixture in due
            if (names := [name for name in self.absent_from(definition, fixture) if name in out])
        ]


def _plays(seek: Seek | None, definition: Definition) -> bool:
    """Tell whether a contest has a game that a player asks for."""
    # of the pairs of a meeting, and of pairs that are added to it
    controls = [stage.format.control_of(stage.control, 1, pair) for stage in definition.stages for pair in (0, 1)]
    controls += [definition.qualification.control] if definition.qualification is not None else []
    return any(_accepts(seek, variant, control) for variant in definition.variants for control in controls)


def _accepts(seek: Seek | None, variant: Variant, control: TimeControl) -> bool:
    """Tell whether a seek fits a game; opponent and colour are chosen by the contest. None fits any game."""
    return seek is None or (
        seek.game == variant.game
        and seek.options.parameters in (None, variant.parameters)
        and seek.options.budget in (None, control.budget)
        and seek.options.increment in (None, control.increment)
        and seek.options.side is None
        and seek.options.opponent is None
    )

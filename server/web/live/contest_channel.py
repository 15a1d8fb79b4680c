"""The channels of contests that a projector shows: one for each contest whose page is open."""

import msgspec
import trio

from server.arena.arena import Arena
from server.match.match import Match
from server.ops.typed_json import decode
from server.web.live.event_stream import Broadcaster, Channel, Mailbox
from server.web.views.contest_night import BOARDS, Told, belongs, night, order, told_by, variant_of
from server.web.views.contests import Entry, ReportIndex, read_report
from server.web.views.lobby import Boards, listed

LOOK_SECONDS = 1.0
"""How often the arena and the report are looked at."""

LINGER_SECONDS = 10.0
"""How long the board of a game that is over still shows its result."""


def told_part(entry: Entry, data: bytes) -> bytes:
    """Return what the report of a contest tells to this page."""
    return msgspec.json.encode(told_by(read_report(data), entry.known))


class ContestHub:
    """The channel of a contest: it looks at the arena and at the report while browsers listen."""

    def __init__(
        self,
        arena: Arena,
        broadcaster: Broadcaster,
        reports: ReportIndex,
        contest: int,
    ) -> None:
        """Take the number of a contest, which may have no report yet."""
        self.channel = Channel(broadcaster, self)
        self.browsers = 0
        """Number of browsers, also those that wait for the first look."""
        self._arena = arena
        self._reports = reports
        self._contest = contest
        self._told: Told | None = None
        self._tag = ""
        self._shown: list[Match] = []
        self._ended: dict[Match, float] = {}
        """Matches that are over and still shown: when that was seen."""
        self._boards = Boards()
        self._last = b""

    async def look(self) -> None:
        """Read the report where it has changed, choose the games that are shown, and draw them."""
        found = await self._reports.contest(self._contest, told_part)
        if found is not None and found.tag != self._tag:
            self._told, self._tag = decode(found.data, type=Told), found.tag
        if self._told is not None:
            self._choose(self._told)
        for match in self._shown:
            self._boards.draw(match)
            await trio.lowlevel.checkpoint()
        self._boards.keep({match.number for match in self._shown})

    def _choose(self, told: Told) -> None:
        now = trio.current_time()
        for match in self._shown:
            if match.public.outcome is not None:
                self._ended.setdefault(match, now)
        self._ended = {match: since for match, since in self._ended.items() if now < since + LINGER_SECONDS}
        games = [match for match in self._arena.matches.values() if match not in self._ended and _is_of(told, match)]
        games.sort(key=lambda match: order(told, match.number, match.header.players))
        self._shown = [*self._ended, *games][:BOARDS]

    def event(self) -> bytes | None:
        """Return the page's data, where they have changed."""
        last, self._last = self._last, self.snapshot()
        return None if last == self._last else self._last

    def snapshot(self) -> bytes:
        """Return the page's data; as long as there is no report, what is announced alone."""
        announcements = self._arena.announcements
        if self._told is None:
            return msgspec.json.encode({"announcements": announcements})
        shown = [listed(match.public, match.now(), self._boards.of(match)) for match in self._shown]
        return msgspec.json.encode(night(self._told, shown, announcements))


class ContestHubs:
    """The hubs of all contests whose page for a projector is open."""

    def __init__(self, arena: Arena, broadcaster: Broadcaster, reports: ReportIndex) -> None:
        """Begin with none."""
        self._arena = arena
        self._broadcaster = broadcaster
        self._reports = reports
        self._hubs: dict[int, ContestHub] = {}

    async def listen(self, contest: int, mailbox: Mailbox) -> None:
        """Send a browser the events of a contest until it is gone."""
        hub = self._hubs.get(contest)
        if hub is None:
            hub = self._hubs[contest] = ContestHub(self._arena, self._broadcaster, self._reports, contest)
        hub.browsers += 1
        try:
            if hub.browsers == 1:
                await hub.look()
            await hub.channel.listen(mailbox)
        finally:
            hub.browsers -= 1
            if not hub.browsers:
                del self._hubs[contest]

    async def run(self) -> None:
        """Look at each contest once a second, until cancelled."""
        while True:
            await trio.sleep(LOOK_SECONDS)
            for hub in list(self._hubs.values()):
                await hub.look()
                hub.channel.changed()


def _is_of(told: Told, match: Match) -> bool:
    return belongs(told, match.header.players, variant_of(match.header.position))

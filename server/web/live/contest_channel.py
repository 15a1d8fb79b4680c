"""The channels of contests that a projector shows: one for each contest whose page is open."""

import msgspec
import trio

from server.arena.arena import Arena
from server.match.match import Match
from server.ops.typed_json import decode
from server.web.live.event_stream import Broadcaster, Channel, Mailbox
from server.web.views.contest_night import BOARDS, Stakes, Told, belongs, choose, night, told_by, variant_of
from server.web.views.contests import Entry, ReportIndex, read_report
from server.web.views.lobby import Boards, Listed, listed

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
        self._arena = arena
        self._reports = reports
        self._contest = contest
        self._told: Told | None = None
        self._tag = ""
        self._asked: object = None
        self._shown: dict[Match, Stakes | None] = {}
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
            await self._choose(self._told)
        for match in self._shown:
            self._boards.draw(match)
            await trio.lowlevel.checkpoint()
        self._boards.keep({match.number for match in self._shown})

    async def _choose(self, told: Told) -> None:
        now = trio.current_time()
        for match in self._shown:
            if match.public.outcome is not None:
                self._ended.setdefault(match, now)
        self._ended = {match: since for match, since in self._ended.items() if now < since + LINGER_SECONDS}
        running = {match.number: match for match in self._arena.matches.values() if _is_of(told, match)}
        asked = self._tag, tuple(running), tuple(self._ended)
        if asked == self._asked:
            return
        self._asked = asked
        games = [(number, match.header.players) for number, match in running.items() if match not in self._ended]
        chosen = await trio.to_thread.run_sync(choose, told, games)
        shown: dict[Match, Stakes | None] = dict.fromkeys(self._ended)
        for number, found in chosen.items():
            if len(shown) < BOARDS:
                shown[running[number]] = found
        self._shown = shown

    def event(self) -> bytes | None:
        """Return the page's data, where they have changed."""
        last, self._last = self._last, self.snapshot()
        return None if last == self._last else self._last

    def snapshot(self) -> bytes:
        """Return the page's data; as long as there is no report, what is announced alone."""
        announcements = self._arena.announcements
        if self._told is None:
            return msgspec.json.encode({"announcements": announcements})
        shown = [(self._line(match), of) for match, of in self._shown.items()]
        return msgspec.json.encode(night(self._told, shown, announcements))

    def _line(self, match: Match) -> Listed:
        return listed(match.public, match.now(), self._boards.of(match))


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
            await hub.look()
        try:
            await hub.channel.listen(mailbox)
        finally:
            if not hub.channel.listeners and self._hubs.get(contest) is hub:
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

"""Pages that stay fresh: blocks of their templates are rendered once a second, and sent where they have changed."""

from collections.abc import Awaitable, Callable
from itertools import islice
from typing import TypeAlias

import structlog
import trio

from server.arena.arena import Arena
from server.contest.report.templating import render_block
from server.net.timing import microseconds
from server.web import answers  # noqa: F401 (templates use its filters)
from server.web.http.errors import Refused
from server.web.live.event_stream import Broadcaster, Channel, Mailbox, framed
from server.web.views.contests import ReportIndex
from server.web.views.lobby import BOARDS, Listed, Tile, Tiles, games_of, newest, overview, round_of

log = structlog.get_logger()

LOBBY, PROJECTOR = "pages/lobby.html", "pages/night.html"
"""Templates with blocks that are sent."""

LOBBY_BLOCKS = ("announcements", "counted", "boards", "others", "results", "people", "contests")
CONTEST_BLOCKS = ("announcements", "boards", "head", "champion", "standings", "next", "last")

CONTESTS = 3
"""Contests that stand in the lobby."""

LOOK_SECONDS = 1.0
"""How often pages are looked at."""

AGAIN_SECONDS = 10.0
"""Pause after results of earlier servers could not be read."""

ReadNewest: TypeAlias = Callable[[], Awaitable[tuple[Listed, ...]]]
"""Reads the last games of earlier servers; raises `Refused`."""

Values: TypeAlias = dict[str, object]


class LivePage(Channel):
    """The blocks of a page that change."""

    def __init__(
        self,
        broadcaster: Broadcaster,
        template: str,
        blocks: tuple[str, ...],
        look: Callable[[], Awaitable[Values]],
    ) -> None:
        """Take the template, the blocks that are sent, and the function that returns their values."""
        super().__init__(broadcaster)
        self.browsers = 0
        """Number of browsers, also those that wait for the first look."""
        self._template = template
        self._look = look
        self._values: Values = {}
        self._looked = -LOOK_SECONDS
        self._looking = trio.Lock()
        self._blocks = dict.fromkeys(blocks, b"")
        self._sent = self._blocks

    async def values(self) -> Values:
        """Return what fills in the page, as it was a second ago at most."""
        async with self._looking:
            if trio.current_time() >= self._looked + LOOK_SECONDS:
                self._values = await self._look()
                self._looked = trio.current_time()
        return self._values

    async def refresh(self) -> None:
        """Render the blocks. Others get their turn after each: a long table takes a millisecond."""
        values = await self.values()
        blocks = {}
        for block in self._blocks:
            blocks[block] = framed(render_block(self._template, block, values), block)
            await trio.lowlevel.checkpoint()
        self._blocks = blocks
        self.changed()

    async def listen(self, mailbox: Mailbox) -> None:
        """Send a browser the blocks until it is gone."""
        self.browsers += 1
        try:
            if self.browsers == 1:
                await self.refresh()
            await super().listen(mailbox)
        finally:
            self.browsers -= 1

    def event(self) -> bytes | None:
        """Return the blocks that have changed."""
        last, self._sent = self._sent, self._blocks
        return b"".join(event for block, event in self._blocks.items() if event != last[block]) or None

    def snapshot(self) -> bytes:
        """Return all blocks."""
        return b"".join(self._blocks.values())


class LivePages:
    """The pages of an arena that stay fresh: the lobby, and the contests that browsers look at."""

    def __init__(self, arena: Arena, broadcaster: Broadcaster, read_newest: ReadNewest) -> None:
        """Begin with the lobby alone; ``read_newest`` reads the last games of earlier servers."""
        self.reports = ReportIndex(arena.settings.data, arena.run_in_thread)
        self.lobby = LivePage(broadcaster, LOBBY, LOBBY_BLOCKS, self._look_at_lobby)
        self._arena = arena
        self._broadcaster = broadcaster
        self._contests: dict[int, LivePage] = {}
        self._read_newest = read_newest
        self._wanted = trio.Event()
        self._earlier: tuple[Listed, ...] | None = None
        """Results of earlier servers, the newest first; None as long as they are not read."""
        self._tiles = Tiles()

    def contest(self, number: int) -> LivePage:
        """Return the page of a contest, which may have no report yet."""
        tiles = Tiles()

        async def look() -> Values:
            found = await self.reports.contest(number)
            report = None if found is None else found.report
            games = [] if report is None else games_of(report, self._arena.matches.values())
            tiles.choose(games, BOARDS, trio.current_time())
            return {
                "number": number,
                "entry": None if found is None else found.entry,
                "report": report,
                "tiles": await _drawn(tiles, lambda match: 0 if report is None else round_of(report, match.players)),
                **self._common(),
            }

        return self._contests.get(number) or LivePage(self._broadcaster, PROJECTOR, CONTEST_BLOCKS, look)

    async def listen(self, contest: int, mailbox: Mailbox) -> None:
        """Send a browser the page of a contest until it is gone."""
        page = self._contests[contest] = self.contest(contest)
        try:
            await page.listen(mailbox)
        finally:
            if not page.browsers:
                self._contests.pop(contest, None)

    async def run(self) -> None:
        """Refresh once a second the pages that browsers look at, until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_earlier)
            while True:
                await trio.sleep(LOOK_SECONDS)
                for page in (self.lobby, *self._contests.values()):
                    if page.browsers:
                        try:
                            await page.refresh()
                        except Exception as error:  # there are other pages
                            log.error("page_refresh_failed", exc_info=error)

    async def _look_at_lobby(self) -> Values:
        self._wanted.set()
        self._tiles.choose(islice(newest(self._arena), BOARDS), 2 * BOARDS, trio.current_time())
        try:
            contests = await self.reports.entries()
        except OSError as error:
            log.warning("contests_read_failed", error=repr(str(error)))
            contests = []
        running_first = sorted(contests, key=lambda entry: entry.closed is not None)
        lobby = overview(self._arena, self._earlier, tuple(running_first[:CONTESTS]))
        return {"lobby": lobby, "tiles": await _drawn(self._tiles, lambda _: 0), **self._common()}

    def _common(self) -> Values:
        """Return what all of these pages show; ``now`` is the server's clock in milliseconds."""
        return {"announcements": self._arena.announcements, "now": microseconds() // 1000}

    async def _read_earlier(self) -> None:
        """Read the results of earlier servers when somebody first looks; try again where that fails."""
        await self._wanted.wait()
        while self._earlier is None:
            try:
                self._earlier = await self._read_newest()
            except Refused as error:
                log.warning("past_results_read_failed", fault=str(error))
                await trio.sleep(AGAIN_SECONDS)


async def _drawn(tiles: Tiles, round_of: Callable[[Listed], int]) -> list[tuple[Tile, int]]:
    """Return tiles with the rounds of their games. Others get their turn after each: a board takes a millisecond."""
    found = []
    for tile in tiles.tiles():
        found.append((tile, round_of(tile.match)))
        await trio.lowlevel.checkpoint()
    return found

"""The server as a trio service: starts all parts, serves until stopped, and shuts down in order."""

import signal
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from functools import partial
from typing import Any

import trio

from engine.games.interface import Termination
from engine.wire import messages as m
from engine.wire.coding import encode
from server.arena.arena import Arena
from server.arena.journals import resume_matches, synced
from server.arena.session import serve_socket
from server.config import keys
from server.config.process_settings import stop_signals
from server.config.settings import Settings
from server.contest.hosts.contest_players import ContestPlayers
from server.contest.hosts.dask_cluster import Cluster
from server.contest.programs.builtin_bots import keep_builtin_bots
from server.contest.programs.sandbox.cores import usable
from server.contest.runtime.service import ContestService
from server.contest.store.folders import kept_by_contest
from server.contest.store.store import FILE as STORE, Store
from server.league.accounts import Accounts
from server.league.console.actions import Announcements, answer_commands, keep_announced, keep_audit
from server.league.contests import Comparisons, enter_versions, keep_tidy
from server.league.ladder.definition import LadderDefinition
from server.league.ladder.service import LadderService
from server.league.submissions.pipeline import Pipeline
from server.league.submissions.versions import Versions
from server.net.admission import Listener, RateLimiter, close_all, listen, patrol
from server.net.timing import StallMonitor, loop_clock
from server.ops import descendants
from server.ops.logs import log
from server.ops.program_version import program
from server.ops.supervisor import supervise
from server.storage.disk import lock_data_directory
from server.storage.record_store import RecordStore

GOODBYE_SECONDS = 2.0
"""Deadline for sending the last lines when the server stops."""

MATCHES_SECONDS = 0.05
"""Time between two checks whether the last matches are over."""


async def serve(
    settings: Settings,
    cluster: Cluster | None = None,
    ladder: LadderDefinition | None = None,
    *,
    task_status: trio.TaskStatus[Arena] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve until cancelled, or stopped by SIGINT, SIGTERM or SIGHUP where this is the main thread.

    Reports the arena when connections are accepted; `Arena.ports` tells where. Owns and closes all listeners and
    connections. Matches that were running when the last server died go on. On the first signal no match is begun any
    more, running ones get the grace of the settings, and what is left is annulled; on a second one the grace is over.
    One that comes after that ends all at once, programs included, with KeyboardInterrupt.
    The process is prepared by `server.config.process_settings.prepare_server` before.
    Contest games are played on the ``cluster`` where possible; the caller keeps it running. A ``ladder`` is played on
    cores that no contest wants.
    Raises OSError where the port or the data directory is not to be had, and
    `server.storage.database.BadStore` where a database in it cannot be used.
    """
    with (
        lock_data_directory(settings.data),
        closing(await trio.to_thread.run_sync(partial(Store, settings.data / STORE, check=True))) as store,
        closing(await trio.to_thread.run_sync(partial(Accounts, settings.data, check=True))) as accounts,
    ):
        listeners = await listen(settings.host, settings.port, "--host and --port")
        own = [] if settings.tls is None else await listen("127.0.0.1", 0, "--port")
        web: list[trio.SocketListener] = []
        try:
            if settings.web is not None:
                web += await listen(*settings.web, "--web HOST:PORT")
            await _serve(settings, store, accounts, cluster, ladder, listeners, own, web, task_status)
        finally:
            await close_all([*listeners, *own, *web])
    log.info("server_stopped")


async def _serve(
    settings: Settings,
    store: Store,
    accounts: Accounts,
    cluster: Cluster | None,
    ladder: LadderDefinition | None,
    listeners: list[trio.SocketListener],
    own: list[trio.SocketListener],
    web: list[trio.SocketListener],
    task_status: trio.TaskStatus[Arena],
) -> None:
    """Resume the matches of the last server, then accept connections.

    Earlier connections wait in the backlog. With TLS, programs of the server connect to the ``own`` listeners without
    it.
    """
    key = await trio.to_thread.run_sync(keys.signing_key, settings.data)
    record_store = RecordStore(settings.data, synced=settings.sync_seconds > 0, sign=key.sign)
    record_store.numbers.skip(await trio.to_thread.run_sync(store.last_match))
    if settings.sync_seconds > 0:
        record_store.numbers.reserve()  # from now on only reserved numbers are used
    clock = loop_clock()
    contest_players = ContestPlayers(partial(kept_by_contest, settings.data, settings.data / STORE))
    arena = Arena(settings, record_store, clock, program(), contest_players)
    kept = await trio.to_thread.run_sync(store.kept_matches, record_store.unfinished_matches())
    resume_matches(arena, record_store, lambda: datetime.now(UTC), kept)
    arena.account_token = accounts.token_hash
    watch = StallMonitor(clock, arena.stalls)
    arena.ports = [listener.socket.getsockname()[1] for listener in listeners]
    host = "127.0.0.1" if own or settings.host in ("0.0.0.0", "") else settings.host
    arena.own_address = (host, (own or listeners)[0].socket.getsockname()[1])
    arena.web_ports = [listener.socket.getsockname()[1] for listener in web]
    grace = trio.CancelScope()
    rate_limiter = RateLimiter(settings.limits, settings.most_sessions, clock)
    context = settings.tls and keys.context(settings.tls)
    no_room = encode(m.Bye("too_many", m.Text("the server has no file descriptors left; try again later")))
    with (
        watch.installed() as arena.arrival,
        trio.open_signal_receiver(*stop_signals()) as signals,
    ):
        async with (
            _obeying(signals, arena, grace),
            arena.running(),
            synced(record_store, arena, store.sync, settings.sync_seconds),
            trio.open_nursery() as sessions,
            trio.open_nursery() as services,
        ):

            async def accept(sockets: list[trio.SocketListener], context: ssl.SSLContext | None) -> None:
                refusal = b"" if context else no_room
                wrapped = [Listener(listener, arena.accept_status, refusal) for listener in sockets]
                handle = partial(serve_socket, arena, rate_limiter, context)
                await trio.serve_listeners(handle, wrapped, handler_nursery=sessions)

            services.start_soon(watch.pulse, lambda: bool(arena.matches))
            services.start_soon(accept, listeners, context)
            if own:
                services.start_soon(accept, own, None)
            services.start_soon(patrol, rate_limiter)
            if settings.metrics is not None:
                from server.web.http.metrics_endpoint import HOST, serve_metrics

                port = await services.start(serve_metrics, arena, rate_limiter, settings.metrics)
                log.info("metrics_started", url=f"http://{HOST}:{port}/metrics")
            if settings.builtin_bots:
                services.start_soon(supervise, "builtin_bots", keep_builtin_bots, arena, settings)
            contests = ContestService(arena, store, cluster)
            services.start_soon(contests.run)
            versions = Versions(settings.data, accounts, rules=settings.league)
            services.start_soon(supervise, "audit", keep_audit, accounts, arena)
            services.start_soon(supervise, "announcements", keep_announced, Announcements(accounts), arena)
            services.start_soon(supervise, "entering", enter_versions, settings.data, versions, accounts)
            playing = None
            if ladder is not None:
                playing = LadderService(ladder, arena, store, accounts, versions)
                services.start_soon(supervise, "ladder", playing.run, contests)
            await services.start(
                answer_commands, arena, accounts, partial(_overview, arena, contests, versions, playing)
            )
            comparisons = Comparisons(settings.data, accounts, versions)
            pipeline = Pipeline(versions, settings.data, cores=len(usable()))
            services.start_soon(supervise, "submissions", pipeline.run, contests.cleaned)
            if web:
                services.start_soon(supervise, "last_match", arena.read_last_match)
                services.start_soon(supervise, "retention", keep_tidy, versions, comparisons)
                from server.web.app import serve as serve_web

                tabs, routes = _league_pages(accounts, versions, comparisons, arena, contests, playing)
                services.start_soon(supervise, "pages", serve_web, arena, record_store, web, tabs, *routes)
            log.info(
                "server_listening", host=settings.host, ports=arena.ports, web=arena.web_ports, data=str(settings.data)
            )
            task_status.started(arena)
            await arena.closing.wait()
            arena.stop()
            log.info("server_stopping", signal=arena.stop_signal, matches=len(arena.matches), grace=settings.grace)
            with grace:
                grace.deadline = trio.current_time() + settings.grace
                while arena.matches:
                    await trio.sleep(MATCHES_SECONDS)
            grace.cancel()  # from now on a signal ends the process
            for match in list(arena.matches.values()):
                if contest_players.keeps(match.number):
                    arena.suspend(match)
                else:
                    arena.annul(
                        match, Termination.SERVER_STOP, "the server was stopped while the match was being played"
                    )
            services.cancel_scope.cancel()
            for session in arena.connected_sessions():
                if over := contest_players.finished(session):
                    session.close("over", over)
                else:
                    session.close("stopping", "the server is shutting down")
            sessions.cancel_scope.deadline = trio.current_time() + GOODBYE_SECONDS


def _overview(
    arena: Arena, contests: ContestService, versions: Versions, ladder: LadderService | None
) -> dict[str, Any]:
    from server.league.console.console_pages import read_overview  # with it come the views, which take a while to load
    from server.web.views.contests import ReportIndex

    return read_overview(arena, contests, versions, ladder, ReportIndex(arena.settings.data, arena.run_in_thread))


def _league_pages(
    accounts: Accounts,
    versions: Versions,
    comparisons: Comparisons,
    arena: Arena,
    contests: ContestService,
    ladder: LadderService | None,
) -> tuple[Callable[[Any, str], dict[str, str]], list[Any]]:
    """Return the function that finds the tabs of a player for a request, and the routes of the pages of the league."""
    # a server without pages does not load these modules
    from server.league.console.console_pages import ConsolePages
    from server.league.grading.grade_book import GradeBook
    from server.league.pages.account_pages import AccountPages
    from server.league.pages.bot_pages import VersionPages, player_tabs
    from server.league.pages.forms import Identities
    from server.league.pages.ladder_pages import LadderPages

    identities = Identities(accounts, arena.settings.user_header)
    book = GradeBook(arena.settings.data, accounts, versions)
    tabs = partial(player_tabs, accounts, None if ladder is None else ladder.store)
    pages = (
        AccountPages(accounts, identities, book, arena.settings.data),
        VersionPages(accounts, identities, versions, comparisons, tabs),
        ConsolePages(accounts, identities, versions, arena, contests, ladder),
        LadderPages(identities, ladder, tabs),
    )
    routes = [route for one in pages for route in one.routes()]
    return lambda request, name: tabs(name, identities.find(request)), routes


@asynccontextmanager
async def _obeying(signals: AsyncIterator[int], arena: Arena, grace: trio.CancelScope) -> AsyncIterator[None]:
    """Stop the server at the first signal, end the grace at the next one, and end the process at a later one."""

    async def obey() -> None:
        async for number in signals:
            if not arena.closing.is_set():
                arena.stop_signal = signal.Signals(number).name
                arena.closing.set()
            elif not grace.cancel_called:
                grace.cancel()
            else:
                await trio.to_thread.run_sync(descendants.end_marked, descendants.home_of(arena.settings.data))
                raise KeyboardInterrupt

    async with trio.open_nursery() as nursery:
        nursery.start_soon(obey)
        yield
        nursery.cancel_scope.cancel()

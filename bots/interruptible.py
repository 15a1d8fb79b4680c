"""Searches that Ctrl-C can interrupt."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from engine.search.searcher import SearchResult, Stop


def search_interruptibly(search: Callable[[Stop], SearchResult]) -> SearchResult:
    """Search in a thread, since compiled code does not react to Ctrl-C; whatever ends the wait stops the search."""
    stop = Stop()
    with ThreadPoolExecutor(1) as pool:
        try:  # also around the start of the thread, which would be waited for
            return pool.submit(search, stop).result()
        except BaseException:
            stop.set()
            raise

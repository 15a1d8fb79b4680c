"""Whose version is tried next: authors in turn, however many versions each has sent, and one version of each at a time.

So versions of a bot come into play in the order in which they were sent. Nothing of this is kept: a server that starts
goes on with what was under way, and then begins with whoever waits longest.
"""

from collections import deque
from collections.abc import Sequence
from statistics import mean
from typing import NamedTuple

from server.league.submissions.versions import Version

REMEMBERED = 20
"""From so many versions that were tried last it is told how long the next ones take."""


class Outlook(NamedTuple):
    """What a version that waits has before it."""

    ahead: int
    """Versions whose turn comes before, those that are being tried not counted."""
    seconds: float | None
    """About so long until its turn, if these take as long as the last ones; None where none was tried yet."""


class Turns:
    """Whose turn it is. Its methods take the versions that are under way, as `Versions.under_way` lists them."""

    def __init__(self, at_once: int = 1) -> None:
        """Take how many versions are tried at the same time."""
        self.at_once = at_once
        self._tried: dict[int, int] = {}
        """The owners of the versions that are being tried, by version."""
        self._served: dict[int, int] = {}
        """The number of the last turn of each owner."""
        self._took: deque[float] = deque(maxlen=REMEMBERED)

    @property
    def tried(self) -> frozenset[int]:
        """The versions that are being tried."""
        return frozenset(self._tried)

    def begin(self, version: Version) -> None:
        """Note that a version is being tried."""
        self._tried[version.id] = version.owner
        self._served[version.owner] = max(self._served.values(), default=0) + 1

    def end(self, version: Version, seconds: float | None) -> None:
        """Note that a version is tried no more, and how long it took; None where it did not come to its end."""
        del self._tried[version.id]
        if seconds is not None:
            self._took.append(seconds)

    def next(self, under_way: Sequence[Version]) -> Version | None:
        """Return the version to begin with now; None where there is none, or enough are being tried."""
        if len(self._tried) >= self.at_once:
            return None
        busy = set(self._tried.values())
        return next((one for one in self.order(under_way) if one.owner not in busy), None)

    def order(self, under_way: Sequence[Version]) -> list[Version]:
        """Return the versions that are not being tried, in the order in which their turns come."""
        left: dict[int, list[Version]] = {}
        for version in sorted(under_way, key=lambda one: (one.state == "waiting", one.id)):
            if version.id not in self._tried:
                left.setdefault(version.owner, []).append(version)
        served, found = dict(self._served), []
        turn = max(served.values(), default=0)
        while left:
            first = min(
                (versions[0] for versions in left.values()),
                key=lambda one: (one.state == "waiting", served.get(one.owner, 0), one.id),
            )
            found.append(left[first.owner].pop(0))
            served[first.owner] = turn = turn + 1
            if not left[first.owner]:
                del left[first.owner]
        return found

    def outlook(self, under_way: Sequence[Version], version: Version) -> Outlook | None:
        """Return what a version has before it; None where it is being tried, or has been."""
        places = [one.id for one in self.order(under_way)]
        if version.id not in places:
            return None
        ahead = places.index(version.id)
        # those that are being tried are half done, on average
        seconds = mean(self._took) * (ahead + len(self._tried) / 2) / self.at_once if self._took else None
        return Outlook(ahead, seconds)

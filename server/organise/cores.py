"""The processor cores that programs get, each one of its own."""

import os


class Cores:
    """Which cores are free.

    Where more are wanted than this process may use, or where the system knows no such thing, programs are not pinned.
    """

    def __init__(self, wanted: int = 0) -> None:
        """Take so many of the cores that this process may use; 0 for all."""
        usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        self.count = wanted or len(usable) or os.cpu_count() or 1
        """How many programs can think at a time."""
        self.pinned = self.count <= len(usable)
        """Whether each gets a core of its own."""
        # the system's own work is mostly on the first ones
        self._free = usable[-self.count :] if self.pinned else []

    def take(self) -> int | None:
        """Return the number of a core that is taken from now on; None, for any core, where none is to be had."""
        return self._free.pop() if self._free else None

    def give_back(self, core: int | None) -> None:
        """Let a core that was taken be taken again."""
        if core is not None:
            self._free.append(core)

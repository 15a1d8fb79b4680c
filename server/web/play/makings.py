"""How many tablebases each address has had made of late: nobody keeps a server busy with one after the other."""

from collections.abc import Callable, Hashable

import msgspec

from server.ops.typed_json import decode
from server.web.play.questions import Question

MOST, SECONDS = 4, 3600.0
"""So many variants of an address are solved within so many seconds; each takes less than a minute of the processor."""

MAX_NOTED = 10_000
"""Variants of all addresses together: what is made is bounded, and so is what is kept of it."""


class Makings:
    """The variants that are made for each client. Decides on a given clock, which counts seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Begin with none."""
        self._clock = clock
        self._made: dict[tuple[Hashable, str], float] = {}
        """By client and variant, when it was asked for first."""

    def is_free(self, client: Hashable, variant: str) -> bool:
        """Tell whether a variant may be made for a client, or is being made already."""
        since = self._clock() - SECONDS
        self._made = {key: when for key, when in self._made.items() if when > since}
        if (client, variant) in self._made:
            return True
        return len(self._made) < MAX_NOTED and sum(one == client for one, _ in self._made) < MOST

    def note(self, client: Hashable, variant: str) -> None:
        """Note that a variant is being made for a client."""
        self._made.setdefault((client, variant), self._clock())


def variant_of(body: bytes) -> str:
    """Return the variant that a question is about, as far as it can be read; worker processes say what is wrong."""
    try:
        question = decode(body, type=Question)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    text = question.start.lstrip().partition("\n")[0] or question.parameters or ""
    return " ".join([question.game, *text.split()])

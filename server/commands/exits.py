"""Exit statuses and one-line errors of commands."""

from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import trio

from engine.commands.program import no_more
from engine.commands.usage_errors import explain_fault
from server.commands.options import fail
from server.storage.database import BadStore

FAILED, INTERRUPTED = 1, 130
"""Exit statuses: the command failed; Ctrl-C ended it at once."""


def run(doing: str, function: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    """Run an async function and return its result; exit with one line if it fails or Ctrl-C ends it.

    An OSError or `BadStore` is shown after ``doing``, as in "cannot serve"; other errors are bugs, and are raised.
    """
    try:
        return trio.run(function, *arguments)
    except BaseException as error:
        found = list(_leaves(error))
        if any(isinstance(one, KeyboardInterrupt) for one in found):
            interrupted()
        known = [one for one in found if isinstance(one, OSError | BadStore)]
        if len(known) < len(found):
            raise
        no_more()
        fail(f"{doing}: {explain_fault(known[0])}", FAILED)


def interrupted() -> NoReturn:
    """Exit as after Ctrl-C."""
    no_more()
    fail("stopped at once by Ctrl-C; started again, it goes on where it was", INTERRUPTED)


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in _leaves(one)]
    return [error]

"""Log lines on stderr, one an event; what peers sent stands in them as its repr.

Whatever a value holds, a line stays one line of printable ASCII, and a reader of it is told no lies: control
characters, line separators, and letters that look like others or run the other way are written as escapes.
"""

import logging
import re
import sys
from typing import Any

import structlog

UNSAFE = re.compile(r"[^\x20-\x7e]")


def configure(*, verbose: bool = False, quiet: bool = False, json: bool = False) -> None:
    """Set the format and the least level for the whole process."""
    level = logging.DEBUG if verbose else logging.WARNING if quiet else logging.INFO
    renderer: Any = (
        structlog.processors.JSONRenderer(default=str)
        if json
        else structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"])
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            renderer,
            escaped,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def escaped(_logger: Any, _method: str, line: Any) -> str:
    """Escape what cannot be printed safely in a line that is ready otherwise."""
    return UNSAFE.sub(lambda found: found.group().encode("unicode_escape").decode(), line)

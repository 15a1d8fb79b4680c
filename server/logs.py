"""Log lines on stderr, one an event; what peers sent stands in them as its repr."""

import logging
import sys

import structlog


def configure(*, verbose: bool = False, quiet: bool = False) -> None:
    """Set the format and the least level for the whole process."""
    level = logging.DEBUG if verbose else logging.WARNING if quiet else logging.INFO
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )

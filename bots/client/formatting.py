"""Times and variants as text."""

from engine.games.catalogue import variant_title
from engine.match.clock import span
from engine.wire import messages as m
from engine.wire.messages import MICROSECONDS
from engine.wire.words import parameters_of


def time_control(budget_ms: int, increment_ms: int) -> str:
    """Format a time control: budget and increment."""
    added = f" + {span(increment_ms * MICROSECONDS)} a move" if increment_ms else ""
    return f"{span(budget_ms * MICROSECONDS)}{added}"


def variant(match: m.Match | m.Watching) -> str:
    """Format a variant for people, as pages do: ``GIPF 4 4 15 15``."""
    return variant_title(f"{match.game} {parameters_of(match.parameters)}")

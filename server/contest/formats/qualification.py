"""The qualification: before the contest each entrant plays short games against the built-in bots.

Whom it disqualifies, and by which evidence, says `conduct`: it is about conduct, and not about points.
"""

from server.contest.definition import Definition
from server.contest.fixtures import QUALIFICATION, Schedule, meeting


def qualification(definition: Definition) -> Schedule:
    """Return all games of the qualification: each entrant against each built-in bot, in all variants."""
    rules = definition.qualification
    if rules is None:
        return Schedule(())
    variants = range(len(definition.variants))
    return Schedule(
        tuple(
            fixture
            for number, opponent in enumerate(rules.opponents, 1)
            for entrant in definition.entrants
            for fixture in meeting(
                QUALIFICATION,
                number,
                (entrant.name, opponent),
                variants,
                range(rules.pairs),
                (number - 1) * rules.pairs,
            )
        )
    )

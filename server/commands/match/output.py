"""The result of a match for scripts: JSON, and JUnit XML as continuous integration reads it. Pure."""

import math

import msgspec

from engine.commands import reports
from engine.commands.reports import Case, Suite
from engine.duel.sprt import Decision
from engine.wire.words import number_of
from server.commands.match.setup import MatchSetup
from server.commands.match.table import Progress, fault_lines, is_complete, table, test_line
from server.commands.match.tally import Row


def as_json(setup: MatchSetup, now: Progress, status: int) -> str:
    """Return everything about a match: its setting, table, test and games; ``status`` is the command's exit status."""
    test, tally = setup.test, now.tally
    found = {
        "report": "match",
        "status": status,
        "complete": is_complete(now),
        "setting": setup.setting,
        "games_planned": now.games,
        "players": [_row(row) for row in tally.rows()],
        "sprt": None
        if test is None
        else {
            **test._asdict(),
            "llr": tally.ratio,
            "lower": test.lower,
            "upper": test.upper,
            "pairs": tally.tested_pairs,
            "decision": tally.decision,
        },
        "games": tally.games,
    }
    return reports.as_json(msgspec.to_builtins(found))


def _row(row: Row) -> dict[str, object]:
    found = row.estimate
    return {
        "name": row.name,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "score": row.score,
        "elo": None if found is None else found.elo,
        "elo_margin_95": None if found is None or math.isinf(found.margin) else found.margin,
        "los": None if found is None else found.los,
        "pairs_by_points": row.counts,
        "losses_by_cause": dict(row.causes),
        "faults": [fault._asdict() for fault in row.faults],
        "ms_a_move": row.ms_a_move,
    }


def as_junit(setup: MatchSetup, now: Progress, *, strict: bool) -> str:
    """Return the tests of a match: that it was played to its end, the sequential test, and, if strict, the faults.

    One of them fails wherever the exit status of the command is not 0.
    """
    rows = now.tally.rows()
    shown = "\n".join([*table(now, setup.test), *fault_lines(rows)])
    why = "" if is_complete(now) else f"{now.tally.count} of {number_of(now.games, 'game')} played"
    cases = [_case("the match is played to its end", why, shown)]
    if (test := setup.test) is not None:
        why = "" if now.tally.decision is Decision.H1 else test_line(now.tally, test, setup.names)
        name = f"{rows[0].name} is stronger than {rows[1].name} (SPRT {test.elo0:g} to {test.elo1:g} Elo)"
        cases.append(_case(name, why, shown))
    if strict:
        faults = rows[0].faults
        why = f"{number_of(len(faults), 'game')} lost by a fault" if faults else ""
        cases.append(_case(f"{rows[0].name} loses no game by a fault", why, "\n".join(fault_lines(rows[:1]))))
    return reports.junit([Suite(f"arena-bot match {' '.join(setup.names)}", cases)])


def _case(name: str, why: str, details: str) -> Case:
    return Case(name, "failed", why, details) if why else Case(name)

"""The result of a match as text: its table, and for scripts JSON and JUnit XML. Pure."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from engine.commands import reports
from engine.commands.reports import Case, Suite
from engine.duel.statistics import Decision, Sprt
from engine.games.catalogue import variant_title
from engine.games.outcome import Termination
from engine.wire.words import number_of
from server.commands.match.setup import MatchSetup
from server.commands.match.tally import Row, Tally
from server.contest.report import formatting

MAX_FAULTS = 3
"""Faults of a player that are told one by one, the last ones."""

MAX_SENTENCE = 300
"""Characters of a sentence about one."""

HEAD = ("player", "games", "won", "drawn", "lost", "score", "Elo", "95 %", "ms a move", "lost by")


class Progress(NamedTuple):
    """How far a match has come."""

    tally: Tally
    games: int
    """Of the whole match."""
    running: int
    rate: float
    """Games a minute since this program has begun; 0 where that is not known."""


def is_complete(now: Progress) -> bool:
    """Tell whether a match is over: by its last game, or by its test."""
    return now.tally.count == now.games or now.tally.decision is not Decision.OPEN


def title(setup: MatchSetup) -> str:
    """Return one line on who plays what."""
    setting = setup.setting
    who = f"{setup.names[0]} against {setup.names[1]}" if len(setup.names) == 2 else " - ".join(setup.names)
    variants = variant_title(f"{setting.game} {' / '.join(setting.variants)}")
    time = formatting.control(setup.definition.stages[0].control)
    return f"{who}: {variants}, {time}, {number_of(len(setup.fixtures), 'game')}"


def table(now: Progress, test: Sprt | None) -> list[str]:
    """Return the whole table: two players as they were named, more of them with the best score first."""
    rows = now.tally.rows()
    shown = rows if len(rows) == 2 else sorted(rows, key=lambda row: -row.score)
    cells = [HEAD, *(_cells(row) for row in shown)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEAD))]
    last = len(HEAD) - 1
    lines = [
        "  ".join(
            cell.ljust(width) if column in (0, last) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]
    if test is not None:
        lines.append(test_line(now.tally, test, [row.name for row in rows]))
    lines.append(count_line(now))
    return lines


def progress_line(now: Progress, test: Sprt | None) -> str:
    """Return one line on how a match stands, for logs."""
    rows = now.tally.rows()
    parts = [count_line(now)]
    parts += [_standing(row) for row in (rows[:1] if len(rows) == 2 else rows)]
    if test is not None:
        parts.append(_ratio(now.tally, test))
    return "; ".join(parts)


def count_line(now: Progress) -> str:
    """Return how many games are over."""
    parts = [f"{now.tally.count} of {number_of(now.games, 'game')}"]
    parts += [f"{now.running} running"] if now.running else []
    parts += [f"{now.rate:.0f} a minute"] if now.rate else []
    return ", ".join(parts)


def test_line(tally: Tally, test: Sprt, names: Sequence[str]) -> str:
    """Return what the sequential test says."""
    what = {
        "H0": f"H0: {names[0]} is not stronger than {names[1]} by {test.elo1:g} Elo",
        "H1": f"H1: {names[0]} is stronger than {names[1]} by more than {test.elo0:g} Elo",
        "open": "open",
    }[tally.decision]
    return (
        f"SPRT {test.elo0:g} to {test.elo1:g} Elo: LLR {tally.ratio:.2f} ({test.lower:.2f} to {test.upper:.2f}), {what}"
    )


def fault_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield lines on games that were lost by a fault of a player's program: what went wrong in the last ones."""
    for row in rows:
        if not row.faults:
            continue
        number = number_of(len(row.faults), "game")
        yield f"{row.name} lost {number} by its own fault; the last:"
        for fault in row.faults[-MAX_FAULTS:]:
            sentence = formatting.printable(fault.sentence)
            sentence = sentence if len(sentence) <= MAX_SENTENCE else f"{sentence[:MAX_SENTENCE]}…"
            yield f"  game {fault.number}: {_word(fault.cause)}: {sentence}"


def _cells(row: Row) -> tuple[str, ...]:
    found = row.estimate
    return (
        row.name,
        str(row.games),
        str(row.wins),
        str(row.draws),
        str(row.losses),
        f"{100 * row.score:.1f} %" if row.games else "",
        "" if found is None else f"{found.elo:+.0f}",
        "" if found is None or math.isinf(found.margin) else f"+- {found.margin:.0f}",
        f"{row.ms_a_move:.1f}" if row.moves else "",
        ", ".join(f"{_word(cause)} {count}" for cause, count in row.causes.most_common()),
    )


def _standing(row: Row) -> str:
    found = row.estimate
    margin = "" if found is None or math.isinf(found.margin) else f" +- {found.margin:.1f}"
    elo = "" if found is None else f" Elo {found.elo:+.1f}{margin} LOS {100 * found.los:.1f} %"
    return f"{row.name} +{row.wins} ={row.draws} -{row.losses}{elo}"


def _ratio(tally: Tally, test: Sprt) -> str:
    return f"LLR {tally.ratio:.2f} ({test.lower:.2f} to {test.upper:.2f})"


def _word(cause: str) -> str:
    return "time" if cause == Termination.TIME else cause.replace("_", " ")


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

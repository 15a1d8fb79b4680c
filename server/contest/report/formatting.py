"""Formats numbers, times and foreign text for reports, and sentences about interruptions."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from engine.games.endings import how_ended, reason_text
from engine.games.interface import Termination
from engine.match.clock import TimeControl, span
from engine.wire.words import duration, number_of
from server.contest.fixtures import FORFEIT, SET_ASIDE, WITHDRAWN, Intervention, pauses
from server.contest.formats.format import Standing
from server.contest.report.structure import (
    ContestState,
    Pause,
    Report,
    ReportedGame,
    ReportedIntervention,
    ReportedStage,
)


def printable(text: str) -> str:
    r"""Return text without control characters: these become ``\x1b`` and so on.

    These are all that Unicode does not call printable, among them control characters and changes of direction.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def capital(text: str) -> str:
    """Return a text with a capital letter."""
    return text[:1].upper() + text[1:]


MAX_NAMES = 5
"""Names of missing entrants in a sentence."""


def names(found: Sequence[str]) -> str:
    """Return names as a list in a sentence: ``ann, bob and carla``; of many the first ones."""
    shown = [printable(name) for name in found[:MAX_NAMES]]
    if len(found) > MAX_NAMES:
        return f"{', '.join(shown)} and {len(found) - MAX_NAMES} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def points(value: float) -> str:
    """Write points, halves as ½."""
    whole, half = divmod(round(2 * value), 2)
    return f"{whole or ''}½" if half else str(whole)


def quarters(value: float) -> str:
    """Write a tie-break, a multiple of a quarter, without zeros at its end."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def elo(value: float) -> str:
    """Write a rating or a difference in Elo, with its sign."""
    return signed(value, 0)


def signed(value: float, decimals: int) -> str:
    """Write a number with its sign; 0 has none."""
    text = f"{value:+.{decimals}f}".replace("-", "−")
    return text if text.strip("+−0.") else text[1:]


def percent(value: float) -> str:
    """Write a probability; only 0 and 1 are written as certain."""
    if 0 < value < 0.001:
        return "< 0.1 %"
    return "> 99.9 %" if 0.999 < value < 1 else f"{100 * value:.1f} %"


def share(part: int, whole: int) -> str:
    """Write a part of a total with its percentage: ``3 (25 %)``."""
    return f"{part} ({100 * part / whole:.0f} %)" if whole else "–"


def time_used(microseconds: int) -> str:
    """Write a time of a clock, rounded down: 850 ms, 12.4 s, 3:05 min, 2:03:05 h."""
    if microseconds < 1_000_000:
        return f"{max(0, microseconds) // 1000} ms"
    seconds = microseconds // 1_000_000
    return f"{microseconds // 100_000 / 10:.1f} s" if seconds < 60 else duration(seconds)


def date(moment: datetime) -> str:
    """Write a date and time in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def progress(done: int, known: int, running: int = 0) -> str:
    """Write how many of the known games are over, and how many are running."""
    return f"{done} of {number_of(known, 'game')}" + (f", {running} running" if running else "")


def control(time: TimeControl) -> str:
    """Write a time control."""
    return f"{span(time.budget)} + {span(time.increment)} a move" if time.increment else f"{span(time.budget)} a side"


def _program(cpu: int | None, wall: int | None, memory: int | None, status: int | None) -> str:
    """Write the resource usage of a program in a game and how it ended: ``cpu 1.2 s of 3.4 s, 34 MB, exit 0``."""
    if cpu is None or wall is None:
        return "–"
    end = "ended by the server" if status is None else f"exit {status}" if status >= 0 else f"signal {-status}"
    used = "" if memory is None else f", {memory / (1 << 20):.0f} MB"
    return f"cpu {time_used(cpu)} of {time_used(wall)}{used}, {end}"


def as_of(report: Report) -> str:
    """Return the state of a contest in words, with the date of the report unless the words have a date or stay."""
    dated = report.state in (ContestState.OVER, ContestState.PAUSED)
    return report.status if dated else f"{report.status} (as of {date(report.made)})"


def interruptions(report: Report) -> list[str]:
    """Return a sentence for each pause, and for each game that was annulled or set aside."""
    games = (game for game in report.games if game.result == "annulled" or game.reason == SET_ASIDE)
    return [*map(pause, report.pauses), *map(_game, games)]


def all_pauses(of_machine: Iterable[Pause], interventions: Iterable[Intervention]) -> list[Pause]:
    """Return the pauses that the machine had and those of the organiser, in order; one that lasts comes last."""
    ordered = [Pause(began, ended, "by the organiser") for began, ended in pauses(interventions)]
    return sorted([*of_machine, *ordered], key=lambda one: (one.ended is None, one.began))


def pause(one: Pause) -> str:
    """Return a sentence when and why a contest paused."""
    since = f"since {date(one.began)}" if one.ended is None else f"from {date(one.began)} to {date(one.ended)}"
    return f"paused {since}: {printable(one.reason)}"


def intervention(done: ReportedIntervention) -> str:
    """Return a sentence what the organiser has changed, and when."""
    return f"{date(done.date)}: {printable(done.sentence)}"


def _game(game: ReportedGame) -> str:
    what = {SET_ASIDE: "set aside", Termination.ORGANISER: "annulled"}.get(game.reason, "annulled, and played again")
    match = "" if game.match is None else f", match {game.match}"
    return f"{game.first} against {game.second}{match}: {what}: {printable(game.sentence or game.reason)}"


class PlacingColumn(NamedTuple):
    """A column of a table that decides places."""

    head: str
    short: str
    """The head where there is little room."""
    explained: str | None
    value: Callable[[Standing], float | None]
    """Returns None where the stage does not use the column."""
    write: Callable[[float], str]

    def text(self, line: Standing) -> str:
        """Return the text of a line in this column."""
        value = self.value(line)
        return "–" if value is None else self.write(value)


_SCORE = PlacingColumn("Points", "points", None, lambda line: line.points, points)
_BERGER = PlacingColumn("S.-B.", "S.-B.", "Sonneborn-Berger", lambda line: line.sonneborn_berger, quarters)
_BUCHHOLZ = PlacingColumn("Buchholz", "Buch.", None, lambda line: line.buchholz, points)
_ROUNDS = PlacingColumn("Rounds won", "rounds", None, lambda line: line.rounds_won, str)
_RATING = PlacingColumn("Rating", "Elo", "From the games of this stage alone", lambda line: line.rating, elo)

_BY_FORMAT = {
    "swiss": (_SCORE, _BUCHHOLZ, _BERGER),
    "knockout": (_ROUNDS, _SCORE),
    "gauntlet": (_RATING, _SCORE),
    "ladder": (_RATING, _SCORE),
}


def marks(stage: ReportedStage) -> tuple[PlacingColumn, ...]:
    """Return the columns of a stage's table, without columns that are empty in all lines."""
    columns = _BY_FORMAT.get(stage.kind, (_SCORE, _BERGER))
    return tuple(
        mark for mark in columns if not stage.table or any(mark.value(line) is not None for line in stage.table)
    )


def with_forfeits(played: int, not_played: int) -> str:
    """Write a number of wins or losses, with unplayed games after a plus sign."""
    return f"{played}+{not_played}" if not_played else str(played)


def score(game: ReportedGame) -> str:
    """Write the result of a game, from the side that began."""
    return game.result if game.points is None else " – ".join(map(points, game.points))


def ended(game: ReportedGame) -> str:
    """Write how a game ended, by the fault of the loser where there is one, and the details."""
    winner = {"first": 0, "second": 1}.get(game.result)
    said = how_ended((game.first, game.second), winner, game.reason, game.plies if game.played else None)
    said = reason_text(game.reason) if game.reason == SET_ASIDE else said
    # of a forfeit or a withdrawal the sentence says the same
    return f"{said}: {game.sentence}" if game.sentence and game.reason not in (FORFEIT, WITHDRAWN) else said


def programs(game: ReportedGame) -> str:
    """Write the resource usage of both programs, and how they ended."""
    first = _program(game.first_cpu, game.first_wall, game.first_memory, game.first_status)
    second = _program(game.second_cpu, game.second_wall, game.second_memory, game.second_status)
    return first if first == second == "–" else f"{first} / {second}"

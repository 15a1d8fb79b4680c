"""Interruptions that were no entrant's fault: pauses, and games that were annulled or set aside."""

from collections.abc import Iterable

from engine.games.outcome import Termination
from engine.wire.words import number_of
from server.contest.fixtures import SET_ASIDE
from server.contest.interventions import Intervention as Done
from server.contest.interventions import pauses
from server.contest.report import formatting
from server.contest.report.structure import Game, Intervention, Pause, Report

MAX_LISTED = 50
"""Games that are named, the last ones; all of them stand in the list of games."""


def interruptions(report: Report) -> list[str]:
    """Return a sentence for each pause, and for each game that was annulled or set aside."""
    games = [game for game in report.games if game.result == "annulled" or game.reason == SET_ASIDE]
    left_out = len(games) - MAX_LISTED
    more = [f"{number_of(left_out, 'game')} more before these"] if left_out > 0 else []
    return [*map(pause, report.pauses), *more, *map(_game, games[-MAX_LISTED:])]


def all_pauses(of_machine: Iterable[Pause], interventions: Iterable[Done]) -> list[Pause]:
    """Return the pauses that the machine had and those of the organiser, in order; one that lasts comes last."""
    ordered = [Pause(began, ended, "by the organiser") for began, ended in pauses(interventions)]
    return sorted([*of_machine, *ordered], key=lambda one: (one.ended is None, one.began))


def pause(one: Pause) -> str:
    """Return a sentence when and why a contest paused."""
    reason = formatting.printable(one.reason)
    if one.ended is None:
        return f"paused since {formatting.date(one.began)}: {reason}"
    return f"paused from {formatting.date(one.began)} to {formatting.date(one.ended)}: {reason}"


def intervention(done: Intervention) -> str:
    """Return a sentence what the organiser has changed, and when."""
    return f"{formatting.date(done.date)}: {formatting.printable(done.sentence)}"


def _game(game: Game) -> str:
    what = "set aside" if game.reason == SET_ASIDE else "annulled, and played again"
    if game.reason == Termination.ORGANISER:
        what = "annulled"
    match = "" if game.match is None else f", match {game.match}"
    return f"{game.first} against {game.second}{match}: {what}: {formatting.printable(game.sentence or game.reason)}"

"""The organiser's commands for an open contest: each is checked, and kept in the store for the server.

A server that holds the contest takes it up within about a second; where none does, the next one will.
"""

import os
import shutil
from pathlib import Path

from msgspec.structs import replace

from engine.games.interface import ANNULLED
from server.contest.definition import Definition, Entrant
from server.contest.fixtures import (
    ACTIONS,
    Fixture,
    GameResult,
    Intervention,
    Kind,
    Target,
    counted_games,
    is_cancelled,
    is_paused,
)
from server.contest.plan import plan
from server.contest.programs.sandbox.seal import sealed_environment
from server.contest.report import formatting
from server.contest.scoring import find_disqualified, rests_on
from server.contest.store.store import Contest, Store


class BadIntervention(Exception):
    """An intervention that is refused; ``str(error)`` is a sentence that says why."""


def find_contest(store: Store, contest: str | int) -> Contest:
    """Return a contest by its number or name. Without a name, it is the only one that is not over.

    Raises `BadIntervention`, and KeyError for a number without a contest.
    """
    if isinstance(contest, int):
        return store.contest(contest)
    contests = store.contests()
    found = [one for one in contests if one.name == contest or (not contest and one.closed is None)]
    if not found:
        missing = f"there is no contest {contest!r}{_of([one.name for one in contests])}"
        raise BadIntervention(missing if contest else "there is no contest here that is not over")
    if len(found) > 1:
        raise BadIntervention(f"there are several contests; say which with --contest{_of([one.name for one in found])}")
    return found[0]


def intervene(store: Store, contest: int, asked: Intervention) -> Intervention:
    """Keep an intervention, and return it; raises `BadIntervention`.

    Its number, and how far the contest has come, are set here.
    """

    def make(number: int) -> Intervention:
        if (row := store.contest(contest)).closed is not None:
            raise BadIntervention(f"the contest {row.name!r} was over on {formatting.date(row.closed)}: it stays so")
        definition = store.definition(contest)
        begun, games = ({}, []) if definition.is_endless else (store.fixtures(contest), store.games(contest))
        fixtures = [fixture for of_match in begun.values() for fixture in of_match]
        stage, round = max(((fixture.stage, fixture.round) for fixture in fixtures), default=(-1, 0))
        names = {entrant.name.lower(): entrant.name for entrant in definition.entrants}
        name = names.get(asked.name.lower(), "")
        if not name and ACTIONS[asked.kind].target not in (Target.CONTEST, Target.GAME):
            missing = f"no entrant of {definition.name!r} is called {asked.name!r}"
            raise BadIntervention(f"{missing}{_of(list(names.values()))}")
        done = asked._replace(number=number, name=name, stage=stage, round=round)
        if is_cancelled(definition.interventions):
            raise BadIntervention(f"the contest {definition.name!r} was cancelled, and ends now")
        if refusal := _refusal(definition, games, done, begun):
            raise BadIntervention(refusal)
        return done

    return store.intervene(contest, make)


def _refusal(
    definition: Definition, games: list[GameResult], done: Intervention, begun: dict[int | None, list[Fixture]]
) -> str:
    """Return why an intervention cannot be made, as a sentence; empty if it can."""
    out = find_disqualified(definition, games)
    target = ACTIONS[done.kind].target
    if target is Target.PLAYING and done.name in out:
        return f"{done.name} plays no more already: {out[done.name].reason}"
    if target is Target.OUT and done.name not in out:
        return f"{done.name} is neither disqualified nor withdrawn"
    match done.kind:
        case Kind.REINSTATE:
            last = plan(definition, games).stages[-1]
            if done.stage >= 0 and done.name not in last.players:
                return f"{done.name} takes no part in stage {last.number + 1}, which is being played"
        case Kind.COMMAND:
            return _wrong_command(definition, done)
        case Kind.REPLAY:
            return _why_not_replayed(definition, games, done, begun)
        case Kind.PAUSE if is_paused(definition.interventions):
            return f"{definition.name} is paused already"
        case Kind.RESUME if not is_paused(definition.interventions):
            return f"the organiser has not paused {definition.name}"
    return ""


def _wrong_command(definition: Definition, done: Intervention) -> str:
    if not done.command or not done.command[0]:
        return f"a command is missing: it stands behind --, as in: command {done.name} -- python3 bot.py"
    entrant = definition.entrant(done.name)
    if entrant is None or entrant.connects:
        return f"{done.name} connects by itself, and has no command that could be changed"
    missing = missing_program(definition, replace(entrant, command=done.command))
    return f"{missing}, and {done.name} would be disqualified; nothing was changed" if missing else ""


INTERPRETERS = ("python", "pypy", "node", "ruby", "perl", "lua", "php", "sh", "bash")
"""Programs whose first argument is a file, unless it is an option; their names may end with a version."""


def missing_program(definition: Definition, entrant: Entrant) -> str:
    """Return a clause about the folder or file without which a program cannot be started; empty if nothing is missing.

    Words with a placeholder, as in ``./{game}``, are not checked.
    """
    folder = Path(definition.folder) / entrant.folder
    if not os.access(folder, os.X_OK) or not folder.is_dir():
        return f"there is no folder {folder} that the server can enter"
    program, *others = entrant.command
    place = str(folder / program) if "/" in program else program
    if "{" not in program and shutil.which(place, path=sealed_environment(os.environ, {})["PATH"]) is None:
        return f"{program} is no program that can be started from {folder}"
    script = others[0] if others and Path(program).name.rstrip(".0123456789") in INTERPRETERS else "-"
    is_there = script.startswith("-") or "{" in script or os.access(folder / script, os.F_OK)
    return "" if is_there else f"there is no file {folder / script}"


def _why_not_replayed(
    definition: Definition, games: list[GameResult], done: Intervention, begun: dict[int | None, list[Fixture]]
) -> str:
    if done.match not in begun:
        return f"no game of {definition.name!r} has the number {done.match}; the report lists them"
    game = next((game for game in games if game.match == done.match), None)
    if game is None:
        return f"match {done.match} is still being played"
    if game.termination in ANNULLED:
        return f"match {done.match} was annulled, and its game is played again already"
    if game not in counted_games(games):
        return f"match {done.match} does not count: its game had a result before"
    if later := rests_on(definition, game.fixture, (fixture for of_match in begun.values() for fixture in of_match)):
        return f"match {done.match} cannot be replayed: {later}, and rests on its result"
    return ""


def _of(names: list[str]) -> str:
    """Return a list of names as the end of a sentence."""
    return f"; there {'is' if len(names) == 1 else 'are'} {', '.join(names) or 'none'}"

"""Texts that the arena computes from the golden files' games, by file name."""

import io
import json
from contextlib import redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from engine import cli
from engine.statistics.online import LadderGame, LadderPlayer, VersionStart, rate
from server.contest import contest_file
from server.contest.definition import Definition
from server.contest.fixtures import GameResult
from server.contest.plan import Present, plan
from server.contest.report.contents import make_report
from server.contest.report.files import file_texts
from server.contest.report.progress import Moment, table_lines

FOLDER = Path(__file__).parent
CONTESTS = ("gauntlet", "knockout", "ladder", "round_robin", "swiss")
RECORDS = tuple(sorted((FOLDER / "records").glob("*.record")))
OPENED = datetime(2026, 11, 20, 20, 15, tzinfo=UTC)


def definition_of(contest: str) -> Definition:
    """Return the definition of a stored contest."""
    return contest_file.read((FOLDER / "contests" / contest / "contest.toml").read_text(), str)


def results_of(contest: str) -> list[GameResult]:
    """Return the stored results of a contest: a JSON object a line, without the fields that have their defaults."""
    lines = (FOLDER / "contests" / contest / "results.ndjson").read_text().splitlines()
    return [msgspec.convert(tuple(_values(json.loads(line))), GameResult) for line in lines]


def _values(fields: dict[str, object]) -> list[object]:
    unknown = fields.keys() - set(GameResult._fields)
    assert not unknown, f"a result has no {unknown}"
    return [
        list(fields["fixture"].values())  # type: ignore[attr-defined]
        if name == "fixture"
        else fields.get(name, GameResult._field_defaults.get(name))
        for name in GameResult._fields
    ]


def contest_texts(contest: str) -> dict[str, str]:
    """Return the files of the final report of a stored contest, and the report in a terminal."""
    definition, games = definition_of(contest), results_of(contest)
    now = plan(definition, games, Present(frozenset(), (), {0: 1e6}))
    assert now.over and not now.due and not now.forfeited
    closed = OPENED + timedelta(hours=8)
    began = {stage.number: OPENED + timedelta(hours=stage.number + 1) for stage in now.stages}
    report = make_report(definition, games, now, Moment(closed, OPENED, closed, began, cores=2))
    return {**file_texts(report), "report.txt": "".join(f"{line}\n" for line in table_lines(report))}


def ladder_ratings() -> str:
    """Return the ratings that follow from the stored games of a ladder with a fixed point and a new version."""
    stored = json.loads((FOLDER / "ladder" / "games.json").read_text())
    players = {name: LadderPlayer(name, owner, anchor) for name, owner, anchor in stored["players"]}
    ratings = rate(
        [LadderGame(*game) for game in stored["games"]],
        players,
        [VersionStart(*start) for start in stored["versions"]],
    )
    return "".join(
        f"{name} elo {one.elo:.3f} deviation {one.deviation:.3f} games {one.games}\n"
        for name, one in sorted(ratings.items())
    )


def record_text(name: str) -> str:
    """Return what `arena-engine record` prints of a stored record: its moves and ending, and then its clocks."""
    shown = []
    for options in ((), ("--verify",)):
        with redirect_stdout(io.StringIO()) as output:
            assert cli.run(["record", str(FOLDER / "records" / name), *options]) == 0
        shown.append(output.getvalue())
    return "\n".join(shown)


def stored_texts() -> dict[Path, str]:
    """Return all computed golden files of which there is a stored one: not every contest has all files."""
    texts = {FOLDER / "ladder" / "ratings.txt": ladder_ratings()}
    for contest in CONTESTS:
        found = {FOLDER / "contests" / contest / name: text for name, text in contest_texts(contest).items()}
        texts |= {path: text for path, text in found.items() if path.exists()}
    return texts | {path.with_suffix(".txt"): record_text(path.name) for path in RECORDS}

"""The files of a report: JSON, CSV and a page without scripts; and the variables of its page on the server.

Each file is replaced as a whole. The pages are made by Jinja2 templates, which escape markup and control characters. No
text of an entrant becomes markup, and nothing is fetched from elsewhere.
"""

import csv
import io
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from itertools import accumulate
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from engine.games.catalogue import variant_title
from engine.statistics.elo import Rating
from engine.wire.words import number_of
from server.contest.fixtures import BY_ORGANISER
from server.contest.formats.format import Standing
from server.contest.report import formatting
from server.contest.report.formatting import interruptions, printable
from server.contest.report.structure import (
    TEST,
    BracketRound,
    Report,
    ReportedGame,
    ReportedStage,
    ScheduledGame,
    leaders,
    out_text,
)
from server.contest.report.templating import add_filters, render

FORMULAS = ("=", "+", "-", "@")
"""Beginnings of a formula in spreadsheets (OWASP, "CSV Injection")."""

MODE = 0o644
"""Everybody may read a report; what is secret stands in none."""


UNWRITTEN: dict[Path, Report] = {}
"""By folder, reports that are newer than the one on the disk, which may be full."""


def write_report_files(report: Report, folder: Path) -> None:
    """Write all files of a report into a folder, which is created if it is missing; raises OSError.

    Each file is complete before it has its name. Until all are written, the report is in `UNWRITTEN`.
    """
    UNWRITTEN[folder] = report
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".report-") as place:
        for name, text in file_texts(report).items():
            new = Path(place) / name
            new.write_bytes(text.encode())
            new.chmod(MODE)
            new.replace(folder / name)
    UNWRITTEN.pop(folder, None)


def file_texts(report: Report) -> dict[str, str]:
    """Return the texts of all files by their names."""
    standings = [
        (stage.number, stage.format, *msgspec.structs.astuple(line)) for stage in report.stages for line in stage.table
    ]
    return {
        "report.json": msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n",
        "standings.csv": table(("stage", "format", *Standing.__struct_fields__), standings),
        "games.csv": table(ReportedGame.__struct_fields__, map(msgspec.structs.astuple, report.games)),
        "ratings.csv": table(Rating.__struct_fields__, map(msgspec.structs.astuple, report.ratings)),
        "index.html": page(report),
    }


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV (RFC 4180): None becomes an empty field, and no text begins like a formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        shown = printable(value)
        return f"'{shown}" if shown.startswith(FORMULAS) else shown
    return value


TOLERANCE = 2e-6
"""Relative difference of figures that rounding on another machine may make; ratings are in Elo."""


def differences(mine: Any, its: Any) -> list[str]:
    """Return the differences between two reports as plain data, a sentence each; ``mine`` is by the records."""
    right, found = dict(_values(mine)), dict(_values(its))
    return [
        f"report.json: {where} is {_short(found.get(where))}, and by the records it is {_short(right.get(where))}"
        for where in right | found
        if not _is_same(right.get(where), found.get(where))
    ]


def _values(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all values in plain data that hold no others, each with its place, as in stages[0].table[2].points."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _values(part, f"{where}.{key}" if where else str(key))
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from _values(part, f"{where}[{number}]")
    else:
        yield where, value


def _is_same(one: Any, other: Any) -> bool:
    if not isinstance(one, float) and not isinstance(other, float):
        return one == other and type(one) is type(other)
    return None not in (one, other) and isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else f"{text[:60]}…"


STYLES = ("base.css", "contest.css")
"""The style sheets that a report needs, in order; the pages of the server link to the same files."""


MAX_CROSSED = 60
"""Most entrants whose crosstable is drawn: a wider one is not read by anybody, the games are listed all the same."""

LARGE, FEW = 16, 8
"""Lines of a table that are more than this, and next games and meetings of a round, are shown by a click."""

MAX_LISTED = 20_000
"""Most games that a page lists; with more of them browsers get slow."""


class Group(NamedTuple):
    """Games that are listed together."""

    title: str
    games: tuple[ReportedGame, ...]
    id: str = ""
    """Target of links to a round on a page of the server: ``round-2-1`` is the first round of stage 2."""

    @property
    def has_programs(self) -> bool:
        """Tell whether the resource usage of any program is known."""
        return any(game.first_cpu is not None or game.second_cpu is not None for game in self.games)


def meetings(games: Sequence[ReportedGame]) -> list[Group]:
    """Group games by meetings; the titles have the points of both players."""
    found: defaultdict[frozenset[str], list[ReportedGame]] = defaultdict(list)
    for game in games:
        found[frozenset((game.first, game.second))].append(game)
    return [Group(_score(of_two), tuple(of_two)) for of_two in found.values()]


def _score(games: Sequence[ReportedGame]) -> str:
    one, other = games[0].first, games[0].second
    reached = [sum(game.points_of(name) for game in games if game.counts) for name in (one, other)]
    return f"{one} {' : '.join(map(formatting.points, reached))} {other}"


def rounds(games: Sequence[ReportedGame]) -> list[Group]:
    """Group games by stages and rounds, the newest of these first."""
    found: defaultdict[tuple[int, int], list[ReportedGame]] = defaultdict(list)
    for game in games:
        found[game.stage, game.round if game.stage else 0].append(game)
    return [
        Group(f"Stage {stage}, round {number}", tuple(of_round), f"round-{stage}-{number}")
        if stage
        else Group("Qualification", tuple(of_round), "round-0")
        for (stage, number), of_round in sorted(found.items(), reverse=True)
    ]


def match_of(number: int, games: Sequence[ReportedGame]) -> int | None:
    """Return the match number of the game with this number in the report."""
    return games[number - 1].match


class RoundCell(NamedTuple):
    """A round of a player."""

    opponent: str
    """Empty for a bye."""
    games: tuple[ReportedGame, ...]
    """Games that are over and count, the one that the player began first; none before the first result."""
    points: float
    """In this round."""
    so_far: float
    """In this round and all before it."""
    bye: bool


def swiss_rounds(stage: ReportedStage, report: Report) -> list[list[RoundCell | None]]:
    """Return a row for each line of the stage's table, with a cell for each round; None if the player was not paired.

    A round that has no result yet is known only from the games that the schedule lists.
    """
    games: defaultdict[tuple[str, int], list[ReportedGame]] = defaultdict(list)
    opponents: dict[tuple[str, int], str] = dict.fromkeys(((bye.name, bye.round) for bye in stage.byes), "")
    counted = [game for game in report.games if game.stage == stage.number and game.counts]
    paired: list[ReportedGame | ScheduledGame] = [
        *counted,
        *(one for one in report.schedule if one.stage == stage.number),
    ]
    for one in paired:
        opponents |= {(one.first, one.round): one.second, (one.second, one.round): one.first}
    for game in counted:
        for name in (game.first, game.second):
            games[name, game.round].append(game)
    return [_row(line, games, opponents) for line in stage.table]


def _row(
    line: Standing, games: Mapping[tuple[str, int], Sequence[ReportedGame]], opponents: Mapping[tuple[str, int], str]
) -> list[RoundCell | None]:
    """Return the rounds of a player; ``games`` and ``opponents`` are by name and round."""
    rounds = range(1, max((round for _, round in opponents), default=0) + 1)
    scored = {round: sum(game.points_of(line.name) for game in games.get((line.name, round), ())) for round in rounds}
    of_bye = (line.points - sum(scored.values())) / line.byes if line.byes else 0.0
    scored |= {round: of_bye for round in rounds if opponents.get((line.name, round)) == ""}
    row: list[RoundCell | None] = []
    for round, so_far in zip(rounds, accumulate(scored.values()), strict=True):
        opponent = opponents.get((line.name, round))
        mine = tuple(sorted(games.get((line.name, round), ()), key=lambda game: game.first != line.name))
        row.append(None if opponent is None else RoundCell(opponent, mine, scored[round], so_far, opponent == ""))
    return row


def stage_title(report: Report, number: int) -> str:
    """Return the title of a stage: its format, and its number where there are several; 0 is the qualification."""
    if number == 0:
        return "Qualification"
    format = report.stages[number - 1].format.partition(",")[0]
    return format if len(report.stages) == 1 else f"Stage {number}: {format}"


def open_rounds(stage: ReportedStage) -> tuple[BracketRound, ...]:
    """Return the rounds of a bracket from the first one that is open; the last one where none is."""
    first = next((i for i, one in enumerate(stage.bracket) if any(m.winner is None for m in one.meetings)), -1)
    return stage.bracket[first:]


add_filters(
    *filter(callable, vars(formatting).values()),
    match_of,
    meetings,
    leaders,
    number_of,
    open_rounds,
    out_text,
    stage_title,
    swiss_rounds,
    variant_title,
)


class Section(NamedTuple):
    """A part of the page."""

    id: str
    title: str
    """The text of links to it."""
    heading: str = ""
    """The heading where it differs from the title."""
    stage: ReportedStage | None = None

    @property
    def template(self) -> str:
        """Name of its template."""
        return f"sections/{self.id if self.stage is None else 'stage'}.html"


def page(report: Report) -> str:
    """Return the report as one page."""
    styles = files("server.contest.report") / "styles"
    css = "".join((styles / name).read_text(encoding="utf-8") for name in STYLES)
    digest = b64encode(sha256(css.encode()).digest()).decode()
    # the style sheet of the page itself, by its digest, and nothing else
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    sections = [section for of_tab in _sections(report).values() for section in of_tab]
    return render("document.html", **_context(report), sections=sections, css=Markup(css), policy=policy) + "\n"


TABS = {"standings": "Standings", "games": "Games", "statistics": "Statistics", "losses": "Losses"}
"""Tabs of the page of a contest on the server, by their names in addresses."""


def tab_values(report: Report, contest: int, known: int, tab: str) -> dict[str, object]:
    """Return the variables of a tab of ``TABS``; ``known`` is the number of games known to be played."""
    return {
        **_context(report),
        "contest": contest,
        "known": known,
        "tab": tab,
        "sections": [] if tab == "games" else _sections(report)[tab],
        "rounds": rounds(report.games) if tab == "games" and len(report.games) <= MAX_LISTED else [],
    }


def _context(report: Report) -> dict[str, object]:
    """Return the variables of the templates."""
    return {
        "report": report,
        "contest": None,
        "linked": len(report.games) <= MAX_LISTED,
        "max_crossed": MAX_CROSSED,
        "max_listed": MAX_LISTED,
        "large": LARGE,
        "few": FEW,
        "test": TEST,
    }


def _sections(report: Report) -> dict[str, list[Section]]:
    """Return the parts of the page by tab, without those that have no content; the last stage comes first."""
    stages = [one for one in reversed(report.stages) if one.table]
    withdrawn = [one.reason == BY_ORGANISER for one in report.disqualified]
    comparable = any(one.margin is not None for one in report.comparisons)
    parts: dict[str, list[tuple[object, Section]]] = {
        "standings": [
            *((True, Section(f"stage-{one.number}", stage_title(report, one.number), stage=one)) for one in stages),
            (report.schedule, Section("schedule", "Schedule")),
            (report.qualification, Section("qualification", "Qualification")),
        ],
        "statistics": [
            (report.ratings, Section("ratings", "Ratings")),
            (comparable, Section("comparisons", "Comparisons", "Two against each other")),
            (True, Section("variants", "Games played", "Games played, and the advantage of beginning")),
        ],
        "losses": [
            (
                report.disqualified,
                Section(
                    "disqualified",
                    "Withdrawn"
                    if all(withdrawn)
                    else "Disqualified or withdrawn"
                    if any(withdrawn)
                    else "Disqualified",
                ),
            ),
            (report.losses, Section("losses", "Losses", "Losses by cause")),
            (report.interventions, Section("interventions", "The organiser's interventions")),
            (interruptions(report), Section("interruptions", "Interruptions")),
        ],
        "games": [(report.games, Section("games", "Games"))],
    }
    return {tab: [section for content, section in found if content] for tab, found in parts.items()}

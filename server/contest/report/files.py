"""The files of a report: JSON, CSV and a page without scripts; and the variables of its page on the server.

Each file is replaced as a whole. The pages are made by Jinja2 templates, which escape markup and control characters. No
text of an entrant becomes markup, and nothing is fetched from elsewhere.
"""

import csv
import io
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import isclose
from pathlib import Path
from tempfile import NamedTemporaryFile
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
from server.contest.report.structure import TEST, Game, Report, Round, ScheduledGame, Stage, leaders, out_text
from server.contest.report.templating import add_filters, render

FORMULAS = ("=", "+", "-", "@")
"""What spreadsheets take for the beginning of a formula (OWASP, "CSV Injection")."""

MODE = 0o644
"""Everybody may read a report; what is secret stands in none."""


def write_report_files(report: Report, folder: Path) -> None:
    """Write all files of a report into a folder, which is created if it is missing; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in file_texts(report).items():
        _replace(folder / name, text)


def file_texts(report: Report) -> dict[str, str]:
    """Return the texts of all files by their names."""
    standings = [
        (stage.number, stage.format, *msgspec.structs.astuple(line)) for stage in report.stages for line in stage.table
    ]
    return {
        "report.json": msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n",
        "standings.csv": table(("stage", "format", *Standing.__struct_fields__), standings),
        "games.csv": table(Game.__struct_fields__, map(msgspec.structs.astuple, report.games)),
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


def _replace(path: Path, text: str) -> None:
    """Write a file under a temporary name, and rename it when it is complete."""
    with NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(text.encode())
            file.close()
            Path(file.name).chmod(MODE)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


TOLERANCE = 1e-6
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
    if isinstance(one, float) or isinstance(other, float):
        return None not in (one, other) and isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return one == other and type(one) is type(other)


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else f"{text[:60]}…"


PACKAGE = "server.contest.report"

STYLES = ("base.css", "contest.css")
"""The style sheets that a report needs, in order; the pages of the server link to the same files."""


@cache
def style_sheet(name: str) -> str:
    """Return one of the `STYLES`."""
    return (files(PACKAGE) / "styles" / name).read_text(encoding="utf-8")


MAX_CROSSED = 60
"""Most entrants whose crosstable is drawn: a wider one is not read by anybody, the games are listed all the same."""

LARGE, FEW = 16, 8
"""Lines of a table that are more than this, and next games and meetings of a round, are shown by a click."""

MAX_LISTED = 20_000
"""Most games that a page lists; with more of them browsers get slow."""


class Group(NamedTuple):
    """Games that are listed together."""

    title: str
    games: tuple[Game, ...]
    id: str = ""
    """Target of links to a round on a page of the server: ``round-2-1`` is the first round of stage 2."""

    @property
    def has_programs(self) -> bool:
        """Tell whether the resource usage of any program is known."""
        return any(game.first_cpu is not None or game.second_cpu is not None for game in self.games)


def meetings(games: Sequence[Game]) -> list[Group]:
    """Group games by meetings; the titles have the points of both players."""
    found: defaultdict[frozenset[str], list[Game]] = defaultdict(list)
    for game in games:
        found[frozenset((game.first, game.second))].append(game)
    groups = []
    for of_two in found.values():
        one, other = of_two[0].first, of_two[0].second
        counted = [game for game in of_two if game.counts]
        score = (formatting.points(sum(game.points_of(name) for game in counted)) for name in (one, other))
        groups.append(Group(f"{one} {' : '.join(score)} {other}", tuple(of_two)))
    return groups


def rounds(games: Sequence[Game]) -> list[Group]:
    """Group games by stages and rounds, the newest of these first."""
    found: dict[tuple[str, str], list[Game]] = {}
    for game in games:
        title = f"Stage {game.stage}, round {game.round}" if game.stage else "Qualification"
        id = f"round-{game.stage}-{game.round}" if game.stage else "round-0"
        found.setdefault((title, id), []).append(game)
    return [Group(title, tuple(of_round), id) for (title, id), of_round in reversed(found.items())]


def match_of(number: int, games: Sequence[Game]) -> int | None:
    """Return the match number of the game with this number in the report."""
    return games[number - 1].match


class RoundCell(NamedTuple):
    """A round of a player."""

    opponent: str
    """Empty for a bye."""
    games: tuple[Game, ...]
    """Games that are over and count, the one that the player began first; none before the first result."""
    points: float
    """In this round."""
    so_far: float
    """In this round and all before it."""
    bye: bool


def swiss_rounds(stage: Stage, report: Report) -> list[list[RoundCell | None]]:
    """Return a row for each line of the stage's table, with a cell for each round; None if the player was not paired.

    A round that has no result yet is known only from the games that the schedule lists.
    """
    games: defaultdict[tuple[str, int], list[Game]] = defaultdict(list)
    opponents: dict[tuple[str, int], str] = dict.fromkeys(((bye.name, bye.round) for bye in stage.byes), "")
    counted = [game for game in report.games if game.stage == stage.number and game.counts]
    paired: list[Game | ScheduledGame] = [*counted, *(one for one in report.schedule if one.stage == stage.number)]
    for one in paired:
        opponents |= {(one.first, one.round): one.second, (one.second, one.round): one.first}
    for game in counted:
        games[game.first, game.round].append(game)
        games[game.second, game.round].append(game)
    return [_row(line, games, opponents) for line in stage.table]


def _row(
    line: Standing, games: Mapping[tuple[str, int], Sequence[Game]], opponents: Mapping[tuple[str, int], str]
) -> list[RoundCell | None]:
    """Return the rounds of a player; ``games`` and ``opponents`` are by name and round."""
    rounds = range(1, max((round for _, round in opponents), default=0) + 1)
    scored = {round: sum(game.points_of(line.name) for game in games.get((line.name, round), ())) for round in rounds}
    of_bye = (line.points - sum(scored.values())) / line.byes if line.byes else 0.0
    row: list[RoundCell | None] = []
    so_far = 0.0
    for round in rounds:
        opponent = opponents.get((line.name, round))
        points = of_bye if opponent == "" else scored[round]
        so_far += points
        mine = tuple(sorted(games.get((line.name, round), ()), key=lambda game: game.first != line.name))
        row.append(None if opponent is None else RoundCell(opponent, mine, points, so_far, opponent == ""))
    return row


def stage_title(report: Report, number: int) -> str:
    """Return the title of a stage: its format, and its number where there are several; 0 is the qualification."""
    if number == 0:
        return "Qualification"
    format = report.stages[number - 1].format.partition(",")[0]
    return format if len(report.stages) == 1 else f"Stage {number}: {format}"


def open_rounds(stage: Stage) -> tuple[Round, ...]:
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
    stage: Stage | None = None

    @property
    def template(self) -> str:
        """Name of its template."""
        return f"sections/{self.id if self.stage is None else 'stage'}.html"


def page(report: Report) -> str:
    """Return the report as one page."""
    css = "".join(map(style_sheet, STYLES))
    digest = b64encode(sha256(css.encode()).digest()).decode()
    # the style sheet of the page itself, by its digest, and nothing else
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    sections = [*_standings(report), *_statistics(report), *_losses(report), *_games(report)]
    context = {**_context(report), "sections": sections}
    return render("document.html", **context, css=Markup(css), policy=policy) + "\n"


TABS = {"standings": "Standings", "games": "Games", "statistics": "Statistics", "losses": "Losses"}
"""Tabs of the page of a contest on the server, by their names in addresses."""


def tab_values(report: Report, contest: int, known: int, tab: str) -> dict[str, object]:
    """Return the variables of a tab of ``TABS``; ``known`` is the number of games known to be played."""
    sections = {"standings": _standings, "statistics": _statistics, "losses": _losses}
    return {
        **_context(report),
        "contest": contest,
        "known": known,
        "tab": tab,
        "sections": sections[tab](report) if tab in sections else [],
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


def _standings(report: Report) -> list[Section]:
    """Return the stages with entrants, the last one first, the qualification, and the schedule."""
    stages = [one for one in reversed(report.stages) if one.table]
    sections = [Section(f"stage-{one.number}", stage_title(report, one.number), stage=one) for one in stages]
    return [
        *sections,
        *[Section("schedule", "Schedule")] * bool(report.schedule),
        *[Section("qualification", "Qualification")] * (report.qualification is not None),
    ]


def _games(report: Report) -> list[Section]:
    """Return the list of games, if there are any."""
    return [Section("games", "Games")] * bool(report.games)


def _statistics(report: Report) -> list[Section]:
    """Return the ratings, comparisons and variants."""
    return [
        *[Section("ratings", "Ratings")] * bool(report.ratings),
        *[Section("comparisons", "Comparisons", "Two against each other")]
        * any(one.margin is not None for one in report.comparisons),
        Section("variants", "Games played", "Games played, and the advantage of beginning"),
    ]


def _out_title(report: Report) -> str:
    """Return the title of the list of disqualified and withdrawn entrants."""
    withdrawn = [one.reason == BY_ORGANISER for one in report.disqualified]
    return "Withdrawn" if all(withdrawn) else "Disqualified or withdrawn" if any(withdrawn) else "Disqualified"


def _losses(report: Report) -> list[Section]:
    """Return the losses, and all that interrupted or changed the contest, where there is any."""
    sections = (
        (report.disqualified, Section("disqualified", _out_title(report))),
        (report.losses, Section("losses", "Losses", "Losses by cause")),
        (report.interventions, Section("interventions", "The organiser's interventions")),
        (interruptions(report), Section("interruptions", "Interruptions")),
    )
    return [section for content, section in sections if content]

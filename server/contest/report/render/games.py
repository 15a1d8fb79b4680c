"""All games on the page, meeting by meeting, with links to their records."""

from collections.abc import Sequence

from server.contest.report import formatting
from server.contest.report.render.markup import Child, Markup, element
from server.contest.report.render.parts import Column, box, game_id, heads, link, paragraph, row, section, table
from server.contest.report.structure import Game, Report

MAX_LISTED = 20_000
"""Most games that the page lists; with more of them browsers get slow."""

_RESULTS = {"first": ("1", "0"), "second": ("0", "1"), "draw": ("½", "½"), "none": ("0", "0")}

_COLUMNS = [
    Column("Match"),
    Column("Began", "name"),
    Column("Result", "centre"),
    Column("Second", "left"),
    Column("How it ended", "words"),
    Column("Moves"),
    Column("Time used", title="By who began, and by the other"),
    Column("Variant", "left"),
    Column("Opening"),
    Column("Round"),
]

_PROGRAMS = Column(
    "Programs", "words", "Processor time, time from start to end, most memory and end: who began, and the other"
)


def games_section(games: Sequence[Game], stages: Sequence[tuple[int, str]]) -> Markup:
    """Return the games of each stage, which come with their numbers and titles."""
    if len(games) > MAX_LISTED:
        sentence = f"The list is left out: there are more than {MAX_LISTED} games. games.csv has them all."
        return section("games", "Games", paragraph(sentence))
    parts: list[Child] = []
    for number, title in stages:
        mine = [game for game in games if game.stage == number]
        if mine:
            parts.append(element("h3", title))
            parts.append(_stage(title, mine))
    return section("games", "Games", paragraph("Match numbers are links to the records.", kind="quiet"), parts)


def schedule_section(report: Report) -> Markup:
    """Return what is being played, and what can begin next."""
    columns = [Column("Begins", "name"), Column("Second", "left"), Column("Variant", "left"), Column("Opening"),
               Column("Round"), Column("State", "left")]  # fmt: skip
    rows = [
        row(columns, [game.first, game.second, game.variant, str(game.opening), str(game.round),
                      "running" if game.running else "due"])
        for game in report.schedule
    ]  # fmt: skip
    left = report.running + report.due - len(report.schedule)
    more = [paragraph(f"{formatting.number(left, 'more game')} can begin.", kind="quiet")] if left > 0 else []
    return section(
        "schedule", "Schedule", table("Games that are being played, and those that come next", columns, rows), more
    )


def _stage(title: str, games: list[Game]) -> Markup:
    columns = [*_COLUMNS, _PROGRAMS] if any(map(_has_programs, games)) else _COLUMNS
    meetings: dict[frozenset[str], list[Game]] = {}
    for game in games:
        meetings.setdefault(frozenset((game.first, game.second)), []).append(game)
    caption = element("caption", f"Games of {title}, by who met whom")
    bodies = [_meeting(of_two, columns) for of_two in meetings.values()]
    return box(f"Games of {title}", element("table", caption, heads(columns), bodies, class_="games"))


def _has_programs(game: Game) -> bool:
    return game.first_cpu is not None or game.second_cpu is not None


def _meeting(games: list[Game], columns: Sequence[Column]) -> Markup:
    one, other = games[0].first, games[0].second
    score = {one: 0.0, other: 0.0}
    for game in games:
        if game.counts and game.result in ("first", "draw", "second"):
            score[game.first] += {"first": 1.0, "draw": 0.5, "second": 0.0}[game.result]
            score[game.second] += {"first": 0.0, "draw": 0.5, "second": 1.0}[game.result]
    told = f"{one} {formatting.points(score[one])} : {formatting.points(score[other])} {other}"
    head = element("tr", element("th", told, colspan=len(columns), scope="rowgroup"), class_="meeting")
    return element("tbody", head, [_row(game, columns) for game in games])


def _row(game: Game, columns: Sequence[Column]) -> Markup:
    result = game.result if game.result == "annulled" else " : ".join(_RESULTS[game.result])
    ended = game.reason.replace("_", " ").replace("+", " and ")
    used = f"{formatting.time_used(game.first_used)} / {formatting.time_used(game.second_used)}"
    cells: list[Child] = [
        link(game.record, game.match),
        game.first,
        result,
        game.second,
        f"{ended}: {game.sentence}" if game.sentence else ended,
        str(game.plies) if game.played else "–",
        used if game.played else "–",
        game.variant,
        str(game.opening),
        str(game.round),
    ]
    if _PROGRAMS in columns:
        first = formatting.program(game.first_cpu, game.first_wall, game.first_memory, game.first_status)
        second = formatting.program(game.second_cpu, game.second_wall, game.second_memory, game.second_status)
        cells.append(f"{first} / {second}" if _has_programs(game) else "–")
    return row(columns, cells, None if game.counts else "void", game_id(game.number))

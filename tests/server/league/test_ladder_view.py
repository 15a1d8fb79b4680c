"""What the pages of the ladder show, from standings and games."""

from datetime import UTC, datetime

from engine.statistics.online import DAY, LadderPlayer, OnlineRating
from server.contest.definition import Entrant
from server.league.ladder.definition import Listed
from server.league.ladder.store import (
    BegunGame,
    CountedGame,
    ScoreAgainst,
    Standing,
    VersionInPlay,
)
from server.league.pages.ladder_pages import (
    CHART_HEIGHT,
    CHART_WIDTH,
    chart,
    game_row,
    standing_rows,
    version_rows,
)

NOW = 1000 * DAY

LISTED = {"alphabeta-1": Listed(LadderPlayer("alphabeta-1", "", 500.0), 0, None)} | {
    f"{owner}-1": Listed(LadderPlayer(f"{owner}-1", owner), 1, Entrant(f"{owner}-1", command))
    for owner, command in (("ann", ("./bot",)), ("bob", ("./bot",)), ("cat", ("./bot",)), ("dan", ()))
}


def standing(name: str, elo: float, deviation: float, days: float = 0, rests: str = "") -> Standing:
    last = NOW - days * DAY
    return Standing(name, name[:3], 1, OnlineRating(elo, deviation, 9, last), 3 if rests else 0, rests)


def game(number: int, first: str, second: str, elo: float, version: int, score: float | None = 1.0) -> CountedGame:
    begun = BegunGame(number, "mnk 3 3 3", 0, (first, second), (1, version))
    record, ratings = "5a" if score is not None else "", ((0.0, 0.0), (elo, 50.0))
    return CountedGame(number, begun, score, "line", "", 5, (False, False), record, NOW, ratings)


def test_only_who_plays_and_is_known_well_enough_has_a_rank() -> None:
    standings = [
        standing("gone-1", 1500, 40),
        standing("ann-1", 1400, 40),
        standing("bob-1", 1300, 101),
        standing("cat-1", 1200, 40, rests="broken"),
        standing("dan-1", 1100, 99),
        standing("alphabeta-1", 500, 0),
    ]
    here, left = standing_rows(standings, LISTED, NOW)
    assert [(row["name"], row["rank"], row["state"]) for row in here] == [
        ("ann-1", 1, "plays"),
        ("bob-1", None, "plays"),
        ("cat-1", None, "rests"),
        ("dan-1", 2, "plays"),
        ("alphabeta-1", None, "fixed"),
    ]
    assert [(row["name"], row["rank"], row["state"]) for row in left] == [("gone-1", None, "left")]
    assert [row["name"] for row in here if row["connected"]] == ["dan-1"]
    assert here[0]["last"] == datetime.fromtimestamp(NOW, UTC)


def test_who_has_not_played_for_long_becomes_uncertain_and_loses_the_rank() -> None:
    (row,), _ = standing_rows([standing("dan-1", 1100, 99, days=30)], LISTED, NOW)
    assert row["rank"] is None and row["deviation"] > 100 and row["elo"] == 1100


def test_versions_have_their_results_the_newest_first() -> None:
    versions = [VersionInPlay(1, 0, NOW, 1500, 300), VersionInPlay(2, 9, NOW, 1400, 200)]
    against = [ScoreAgainst(2, "bob-1", 1, 0, 3), ScoreAgainst(1, "bob-1", 2, 1, 0), ScoreAgainst(1, "cat-1", 1, 1, 1)]
    newest, oldest = version_rows(versions, {1: (1450.0, 60.0)}, against)
    assert (newest["version"], newest["won"], newest["drawn"], newest["lost"], newest["start"]) == (2, 1, 0, 3, 1400)
    assert (newest["end"], oldest["end"]) == (None, (1450, 60))
    assert (oldest["won"], oldest["drawn"], oldest["lost"], len(oldest["opponents"])) == (3, 2, 1, 2)


def test_a_chart_is_a_line_of_ratings_with_the_starts_of_versions() -> None:
    games = [game(4, "x", "ann-1", 1525, 2), game(3, "x", "ann-1", 1500, 2), game(2, "x", "ann-1", 1475, 1)]
    found = chart("Ann-1", [*games, game(1, "x", "ann-1", 9999, 1, None)])
    assert found is not None
    assert found["points"] == "0.0,120.0 300.0,80.0 600.0,40.0"
    assert (found["starts"], found["low"], found["high"]) == ([(300.0, 2)], 1450.0, 1550.0)
    assert (CHART_WIDTH, CHART_HEIGHT) == (600, 160)
    assert chart("ann-1", games[:1]) is None


def test_a_game_that_was_not_played_has_no_record() -> None:
    assert game_row(game(1, "x", "ann-1", 1500, 1, None))["has_record"] is False
    row = game_row(game(1, "x", "ann-1", 1500, 2))
    assert (row["has_record"], row["first"], row["second"], row["versions"], row["score"]) == (
        True,
        "x",
        "ann-1",
        (1, 2),
        1.0,
    )

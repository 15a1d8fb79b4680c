"""What a league shows of its bots: versions that were built and tried, games of the ladder, and a contest."""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from engine.duel.statistics import TWO_SIDED_95
from server.contest.store.folders import folder_of
from server.contest.store.store import FILE, Store
from server.league.accounts.accounts import Accounts
from server.league.grading.evidence import BadReport, Build, Evidence, Rating, add_report
from server.league.grading.rule import Elo, Rule, Score, player_key
from server.league.ladder.rating import decayed
from server.league.ladder.store import LadderStore
from server.league.submissions import conformance_log
from server.league.submissions.versions import Version, Versions

REPORT = "report.json"
"""Of the folder of a contest."""

CHECK_LOG = "check.txt"
"""Of the folder of a version: the log of the conformance test."""


class RatedGame(NamedTuple):
    """A game of the ladder that rates its players."""

    variant: str
    opening: int
    players: tuple[str, str]
    """That who began first."""
    score: float
    """Of who began."""


class League(NamedTuple):
    """Where the evidence of a league is."""

    data: Path
    accounts: Accounts
    versions: Versions


def league_evidence(league: League, rule: Rule, bots: Sequence[str], contest: int) -> Evidence:
    """Return what is known of bots, as far as a rule asks for it.

    With a contest, 0 for none, ratings and places are those of the contest, else those of the ladder.

    Raises `BadReport`, `BadStore`, and OSError; for a thread.
    """
    evidence = Evidence()
    opponents = {player_key(one.against) for one in rule.criteria if isinstance(one, Score | Elo)}
    store = LadderStore(league.accounts)
    for bot in bots:
        version = graded_version(league.versions.of(bot))
        if version is not None:
            _add_version(evidence, league.versions, version)
        standing = store.standing(bot)
        if standing is not None:
            for opponent in opponents:
                games = _rated_games(league.accounts, bot, standing.version, opponent)
                _add_games(evidence, games, f"/ladder/{bot}")
    if contest:
        _add_contest(evidence, league.data, contest)
    else:
        _add_ratings(evidence, store, {bot.lower() for bot in bots})
    return evidence


def graded_version(versions: Iterable[Version]) -> Version | None:
    """Return the version of a bot that is graded: the active one, else the newest; they come the newest first."""
    there = [version for version in versions if version.state != "deleted"]
    return next((version for version in there if version.state == "active"), there[0] if there else None)


def _add_version(evidence: Evidence, versions: Versions, version: Version) -> None:
    name, page = evidence.add_name(version.bot), f"/bots/{version.bot}/versions/{version.number}"
    has_passed = version.state in ("active", "retired")
    if version.command or has_passed:
        evidence.builds[name] = Build(True, f"version {version.number} was built")
    elif version.state == "refused":
        evidence.builds[name] = Build(False, f"version {version.number} was not built: {version.sentence}")
    else:  # it is under way
        return
    evidence.check_files[name] = page
    found = conformance_log.counts(versions.folder(version) / CHECK_LOG)
    if has_passed:
        passed = found.passed if found and found.passed else 1  # of an old one the log is gone
        evidence.conformance[name] = passed, passed
    elif found:
        evidence.conformance[name] = found.passed, found.passed + found.failed
    elif not evidence.builds[name].is_built:
        evidence.conformance[name] = 0, 1


def _rated_games(accounts: Accounts, player: str, version: int, opponent: str) -> list[RatedGame]:
    """Return the games of the ladder that a version has played against an opponent, and that rate them, in order."""
    rows = accounts.rows(
        """SELECT variant, opening, first, second, score FROM ladder_games WHERE score IS NOT NULL AND number IN (
        SELECT number FROM ladder_games WHERE first = ?1 AND first_version = ?2 AND second = ?3
        UNION ALL SELECT number FROM ladder_games WHERE second = ?1 AND second_version = ?2 AND first = ?3)
        ORDER BY number""",
        player,
        version,
        opponent,
    )
    return [RatedGame(variant, opening, (first, second), score) for variant, opening, first, second, score in rows]


def _add_games(evidence: Evidence, games: Sequence[RatedGame], page: str) -> None:
    """Add games of the ladder; those from one opening, with colours swapped, are a pair."""
    halves: dict[tuple[str, int, frozenset[str]], list[RatedGame]] = defaultdict(list)
    for game in games:
        evidence.add_game(game.players, (game.score, 1 - game.score), page)
        waiting = halves[game.variant, game.opening, frozenset(game.players)]
        if waiting and waiting[0].players == game.players[::-1]:
            other = waiting.pop(0)
            evidence.add_pair(*game.players, game.score + 1 - other.score)
        else:
            waiting.append(game)


def _add_ratings(evidence: Evidence, store: LadderStore, bots: set[str]) -> None:
    """Add ratings of the ladder as of now, and places among those who have played."""
    now = time.time()
    played = [one for one in store.standings() if one.name.lower() in bots and one.rating.games]
    for place, one in enumerate(played, 1):
        name, rating = evidence.add_name(one.name), decayed(one.rating, now)
        evidence.places[name] = place
        low = rating.elo - TWO_SIDED_95 * rating.deviation
        evidence.ratings[name] = Rating(one.name, rating.elo, low, rating.games)
        evidence.contest_files[name] = f"/ladder/{one.name}"


def _add_contest(evidence: Evidence, data: Path, contest: int) -> None:
    """Add the report of a contest; entrants that are versions of bots count as these."""
    try:
        with closing(Store(data / FILE)) as store:
            definition = store.definition(contest)
        content = (folder_of(data, contest) / REPORT).read_bytes()
    except (KeyError, FileNotFoundError):
        raise BadReport(f"there is no report of a contest {contest}") from None
    aliases: dict[str, str] = {}
    for entrant in definition.entrants:
        if entrant.version_of and entrant.version_of not in aliases.values():
            aliases[entrant.name.lower()] = entrant.version_of
    evidence.aliases = aliases
    try:
        add_report(evidence, content, "", f"/contest/{contest}")
    except BadReport as error:
        raise BadReport(f"{definition.name}: {error}") from None
    evidence.aliases = {}

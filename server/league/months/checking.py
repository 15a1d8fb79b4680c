"""Verifies an exported month of the ladder: signature, files, records, results, ratings and pairings, game by game."""

from collections.abc import Iterator, Mapping
from math import isclose

import msgspec
from msgspec.structs import replace

from server.contest.definition import Definition
from server.contest.export.checking import CheckedExport, Opened, decoded
from server.contest.export.container import LADDER, BadExport
from server.contest.export.contents import TOLERANCE
from server.contest.fixtures import Finished, Fixture
from server.contest.store.verification import Evidence, Verdict, check
from server.league.ladder.definition import LadderDefinition, from_published
from server.league.ladder.players import LadderGame, LadderPlayer, Rating
from server.league.ladder.rating import start_of_version, starting, update
from server.league.ladder.runner import ended_game
from server.league.ladder.store import BegunGame, EndedGame
from server.league.months.contents import (
    FORMAT,
    Choice,
    FilePlayed,
    Month,
    MonthGame,
    VersionPlayed,
    bounds,
    came_into_play,
)
from server.league.months.pairings import PairingChecker

MOST_ELO = 100_000
"""No true rating or deviation is larger, and what a stranger has written is not computed with at any price."""

_SHOWN = ("score", "termination", "detail", "plies", "failed")
"""What a record tells of a game of the ladder."""


def verify_month(opened: Opened) -> CheckedExport:
    """Verify a month whose export was opened; raises `BadExport` where nothing can be recomputed."""
    month = decoded(opened.files, LADDER, Month)
    if month.format != FORMAT:
        raise BadExport(f"it has the format {month.format}, and this version of arena-server knows {FORMAT}")
    try:
        checker = _Checker(opened, month)
        found = (*opened.changed, *checker.differences())
    except (
        IndexError,
        KeyError,
        OverflowError,
        ValueError,
        ZeroDivisionError,
        RecursionError,
        msgspec.DecodeError,
    ) as error:
        raise BadExport(f"{LADDER} contradicts itself, so that nothing can be recomputed: {error!r}") from None
    verdict = Verdict(len(month.games) - checker.unplayed, checker.unplayed, found, tuple(checker.unproven))
    entered = tuple(
        f"version {one.version} plays as {one.player}, sent as a file with the SHA-256 {one.sha256}"
        for one in (*month.in_play.values(), *month.versions)
        if one.sha256
    )
    return CheckedExport(opened.manifest.contest, opened.key, verdict, entered)


class _Checker:
    """Goes through the games of a month, and carries the ratings on from one to the next."""

    def __init__(self, opened: Opened, month: Month) -> None:
        self._opened = opened
        self._month = month
        self._ladder = from_published(month.files[0].definition)
        self._file = month.files[0].id
        self._events = came_into_play(month.files[1:], month.versions)
        self._ratings = {name: known.rating() for name, known in month.opening.items()}
        self._kept = dict(self._ratings)
        """The same ratings as they were kept, where these are true: games were chosen by them, to the last bit."""
        self._pairings = PairingChecker(month)
        self._last_ids = (-1, -1)
        """Of the ladder file and version that had come into play at the last choice."""
        self._versions = {name: one.version for name, one in month.in_play.items()}
        self._chosen: dict[int, tuple[int | None, int | None]] = {}
        """The versions of both players that were in play when a match was chosen."""
        self._begun = set() if month.choices is None else {game.match for game in month.choices.begun}
        """Matches that were chosen in the month before, which has the versions that were in play then."""
        self._players_of = {game.match: game.players for game in month.games}
        self.unplayed = 0
        self.unproven: list[str] = []

    def differences(self) -> Iterator[str]:
        """Yield a sentence for each line that is not true."""
        month = self._month
        begin, end = bounds(month.month)
        number, date, ended = month.games[0].number - 1, begin, 0.0
        for game in month.games:
            number += 1
            if game.number != number:
                yield f"{game.sentence}: it stands where game {number} has to stand"
                number = game.number
            if not date <= game.ended < end:
                yield f"{game.sentence}: it ended before the game before it, or in another month"
            for choice in self._pairings.due(game.number):
                yield from self._came_into_play_before(choice)
                yield from self._pairings.check(choice, self._ladder, self._file, self._kept, ended)
                self._note_versions(choice)
            date = ended = max(date, game.ended)
            while self._events and self._events[0].after < game.number:
                yield from self._came_into_play(self._events.pop(0))
            yield from self._check(game)
            yield from self._pairings.count(game)
        yield from self._pairings.rest()
        self.unproven += self._pairings.unproven()
        for event in self._events:
            yield f"{_name(event)}: it came into play behind game {event.after}, which is not in this month"
        matches: set[int | None] = {game.match for game in month.games if game.record}
        for name in self._opened.strays(matches):
            yield f"{name} is of no game of the month"

    def _came_into_play_before(self, choice: Choice) -> Iterator[str]:
        """Bring into play what was in play when games were chosen."""
        if self._last_ids == (choice.file, choice.version):
            return
        self._last_ids = choice.file, choice.version
        due = [one for one in self._events if one.id <= _last_id(one, choice)]
        self._events = [one for one in self._events if one.id > _last_id(one, choice)]
        for event in due:
            yield from self._came_into_play(event)

    def _note_versions(self, choice: Choice) -> None:
        """Note which versions a choice has chosen: where a disk fails, a game is counted when others are in play."""
        for match in choice.matches:
            if match in self._players_of:
                first, second = self._players_of[match]
                self._chosen[match] = self._versions.get(first), self._versions.get(second)

    def _came_into_play(self, event: FilePlayed | VersionPlayed) -> Iterator[str]:
        if isinstance(event, FilePlayed):
            yield from self._file_played(event)
            return
        players = _players(self._ladder)
        before = self._ratings.get(event.player)
        right = starting(players, event.player) if before is None else start_of_version(before)
        if event.player in players:
            right = starting(players, event.player)
        if not _same((event.elo, event.deviation), right):
            yield f"{_name(event)}: it began at {_shown(event.elo, event.deviation)}, and has to begin at {_of(right)}"
        self._ratings[event.player] = right
        self._kept[event.player] = _nearer((event.elo, event.deviation), right)
        self._versions[event.player] = event.version

    def _file_played(self, event: FilePlayed) -> Iterator[str]:
        old, self._ladder = self._ladder, from_published(event.definition)
        self._file = event.id
        given = {name: known.rating() for name, known in event.ratings.items()}
        if _players(old) == _players(self._ladder):
            for name, rating in self._ratings.items():
                if name in given and not _same((given[name].elo, given[name].deviation), rating):
                    sentence = f"{name} has {_of(given[name])}, and by the games before {_of(rating)}"
                    yield f"{_name(event)}: {sentence}"
                elif name in given:
                    self._kept[name] = _nearer((given[name].elo, given[name].deviation), rating)
            return
        self._ratings, self._kept = given, dict(given)
        self.unproven.append(f"{_name(event)}: fixed points stand elsewhere, and ratings go on from what it says")

    def _check(self, game: MonthGame) -> Iterator[str]:
        first, second = game.players
        in_play = self._chosen.get(game.match, (self._versions.get(first), self._versions.get(second)))
        for name, version, played in zip(game.players, game.versions, in_play, strict=True):
            if version != played and game.match not in self._begun:
                yield f"{game.sentence}: version {version} of {name} was not in play"
        score = game.score
        if game.record:
            ended, sentences = self._by_record(game)
            yield from sentences
            if ended is not None:
                score = ended.score
        else:
            self.unplayed += 1
            self.unproven.append(f"{game.sentence}: {game.termination}, not played, so that no record shows it")
            if game.score is not None:
                yield f"{game.sentence}: it was not played, and has a score all the same"
                score = None
        before = [self._ratings[name] for name in game.players]
        if any(abs(one.elo) > MOST_ELO or not 0 <= one.deviation <= MOST_ELO for one in before):
            raise ValueError(f"{game.sentence}: a rating is beyond {MOST_ELO} Elo")
        if score is not None:
            rated = LadderGame(game.number, game.variant, *game.players, score, game.ended)
            self._ratings |= update(self._ratings, rated, _players(self._ladder))
        after = [self._ratings[name] for name in game.players]
        for when, its, mine in (("before", game.before, before), ("after", game.after, after)):
            for name, kept, right in zip(game.players, its, mine, strict=True):
                if not _same(kept, right):
                    yield f"{game.sentence}: {name} has {_shown(*kept)} {when} it, and by all before {_of(right)}"
                self._kept[name] = _nearer(kept, right)

    def _by_record(self, game: MonthGame) -> tuple[EndedGame | None, list[str]]:
        """Return a game as its record shows it, None where that is not true, and what differs."""
        definition = self._ladder.contest((), "")
        fixture = Fixture(0, 1, _place(self._ladder, game.variant), 0, game.opening, game.players)
        record = self._opened.record(game.match)
        kept = Finished(fixture, game.match, None, game.termination)
        evidence = Evidence(kept, None) if record is None else Evidence(kept, *record, game.record)
        found, sentences = _recomputed(definition, evidence)
        sentences = [sentence.replace(f"match {game.match}", game.sentence, 1) for sentence in sentences]
        if found is None:
            return None, sentences
        begun = BegunGame(game.match, game.variant, game.opening, game.players, game.versions)
        ended = ended_game(begun, found, game.record)
        for name in _SHOWN:
            its, mine = getattr(game, name), getattr(ended, name)
            if its != mine:
                sentences.append(f"{game.sentence}: {name} is {its!s} as kept, and {mine!s} by the record")
        return ended, sentences


def _recomputed(definition: Definition, evidence: Evidence) -> tuple[Finished | None, list[str]]:
    """Return the game that a record shows, None where it shows none, and what is wrong with the record."""
    checked = check(definition, evidence, ())
    shows = checked.game is not evidence.result
    return (checked.game if shows else None), list(checked.differences)


def _players(ladder: LadderDefinition) -> Mapping[str, LadderPlayer]:
    """Return the fixed points, from which newcomers begin."""
    return {level.name: LadderPlayer(level.name, "", level.anchor) for level in ladder.levels}


def _place(ladder: LadderDefinition, variant: str) -> int:
    return [one.key for one in ladder.variants].index(variant)


def _name(event: FilePlayed | VersionPlayed) -> str:
    if isinstance(event, FilePlayed):
        return f"the ladder file behind game {event.after}"
    return f"version {event.version} of {event.player}, behind game {event.after}"


def _same(kept: tuple[float, float], right: Rating) -> bool:
    pairs = zip(kept, (right.elo, right.deviation), strict=True)
    return all(isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE) for one, other in pairs)


def _nearer(kept: tuple[float, float], right: Rating) -> Rating:
    """Return a rating as it was kept where it is the same but for rounding."""
    return replace(right, elo=kept[0], deviation=kept[1]) if _same(kept, right) else right


def _last_id(event: FilePlayed | VersionPlayed, choice: Choice) -> int:
    return choice.file if isinstance(event, FilePlayed) else choice.version


def _of(rating: Rating) -> str:
    return _shown(rating.elo, rating.deviation)


def _shown(elo: float, deviation: float) -> str:
    return f"{elo:.3f} ± {deviation:.3f} Elo"

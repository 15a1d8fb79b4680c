"""Makes each choice of a month of the ladder again, from what was kept of it and from the games before it."""

from collections import deque
from collections.abc import Iterator, Mapping

from engine.wire.words import number_of
from server.league.ladder.definition import LadderDefinition
from server.league.ladder.pairing.choosing import DROPPED_MEMORY, Candidates, Known, choose
from server.league.ladder.pairing.counts import GameCounts
from server.league.ladder.pairing.scheduler import RULES, Pairing
from server.league.ladder.players import Rating
from server.league.months.contents import Choice, DroppedGame, Month, MonthGame

MAX_NAMED = 20
"""So many choices are named; others that are not true are counted, since what is chosen depends on all before."""


class PairingChecker:
    """Goes through the choices of a month, and carries on what they depend on beside the ratings."""

    def __init__(self, month: Month) -> None:
        """Take the month; raises KeyError where it contradicts itself."""
        found = month.choices
        self._is_kept = found is not None
        self._choices = deque(() if found is None else found.choices)
        self._rosters: Mapping[int, Candidates] = {} if found is None else found.rosters
        self._dropped = deque(() if found is None else found.dropped)
        self._counts = GameCounts(None if found is None else found.counts)
        self._first = self._choices[0] if self._choices else None
        begun = () if found is None else found.begun
        others = () if found is None else found.others
        self._games = {game.match: (game.variant, game.opening, game.first, game.second) for game in (*begun, *others)}
        self._begun = {game.match: self._games[game.match] for game in begun}
        self._games |= {game.match: _played(game) for game in month.games}
        self._running = {game.match: (Pairing(game.variant, game.first, game.second), game.roster) for game in begun}
        self._dates: dict[int, int] = {}
        """When the games that run were chosen, as far as that was in this month."""
        self._recent: list[DroppedGame] = []
        self._identities: dict[tuple[int, str], tuple[str, float | None]] = {}
        """Owners and anchors, by ladder file and name."""
        self._identified: set[tuple[int, int]] = set()
        """Ladder files and rosters that were held against each other."""
        self._number = 0
        """That of the last choice."""
        self._last_dropped = 0
        self._different = 0
        self._unkept: list[int] = []
        self._left_out = 0
        """Games that were dropped in this month."""
        self._others: set[int] = set()
        """Rules of other versions of arena-server."""
        self._not_made = 0

    def due(self, number: int) -> Iterator[Choice]:
        """Yield the choices that were made before a game."""
        while self._choices and self._choices[0].counted < number:
            yield self._choices.popleft()

    def check(
        self, choice: Choice, ladder: LadderDefinition, file: int, ratings: Mapping[str, Rating], ended: float
    ) -> Iterator[str]:
        """Make a choice again, and yield a sentence for each thing that is not true about it.

        ``file`` is the number of the ladder file, ``ratings`` are those of then, ``ended`` when the last game did.
        """
        if self._number and choice.number != self._number + 1:
            yield f"{_name(choice)}: it stands behind choice {self._number}, where {self._number + 1} has to stand"
        self._number = choice.number
        if choice.file != file:
            yield f"{_name(choice)}: it was made by ladder file {choice.file}, and number {file} was in play"
        if choice.date < int(ended):
            yield f"{_name(choice)}: it was made before that game had ended"
        those = self._rosters[choice.roster]
        yield from self._identity(choice, those, ladder)
        yield from self._drop(choice)
        yield from self._again(choice, those, ladder, ratings)
        for match in choice.matches:
            if match not in self._games:
                yield f"{_name(choice)}: nothing tells what its match {match} was"
            elif match in self._dates or match in self._begun:
                yield f"{_name(choice)}: its match {match} was chosen before"
            else:
                variant, _, first, second = self._games[match]
                self._running[match] = Pairing(variant, first, second), choice.roster
                self._dates[match] = choice.date

    def count(self, game: MonthGame) -> Iterator[str]:
        """Count a game; yield a sentence where it was not chosen as it is."""
        if not self._is_kept:
            self._unkept.append(game.number)
            return
        was_running, roster = self._running.pop(game.match, (None, 0))
        begun = self._begun.get(game.match, _played(game))
        if was_running is None:
            is_earlier = self._first is None or (self._first.number == 1 and game.number <= self._first.counted)
            if is_earlier and game.match not in self._dates:
                self._unkept.append(game.number)
            else:
                yield f"{game.sentence}: no choice has chosen it, or it was dropped or counted before"
        elif begun != _played(game):
            yield f"{game.sentence}: it was chosen as {_words(begun)}"
        elif game.ended < self._dates.get(game.match, 0):
            yield f"{game.sentence}: it ended before it was chosen"
        players = self._rosters[roster].by_name() if roster in self._rosters else {}
        self._counts.add(players, game.variant, *game.players)

    def rest(self) -> Iterator[str]:
        """Yield what is not true after the last game."""
        for choice in self._choices:
            yield f"{_name(choice)}: that game is not in this month"
        if self._different > MAX_NAMED:
            more = number_of(self._different - MAX_NAMED, "more choice is another", "more choices are others")
            yield f"{more} than by all that was known then"

    def unproven(self) -> Iterator[str]:
        """Yield what could not be made again."""
        if self._unkept:
            last = f"the last of which is game {self._unkept[-1]}"
            by = "an earlier version of arena-server has chosen them"
            many = number_of(len(self._unkept), "game")
            yield f"the pairings of {many}, {last}, were not kept: {by}"
        if self._begun:
            many = number_of(len(self._begun), "game was", "games were")
            yield f"{many} being played when the month began: the one before has the choices"
        if self._left_out:
            many = number_of(self._left_out, "game was", "games were")
            yield f"{many} chosen and dropped: by a death of the server, say, or by an organiser"
        if self._not_made:
            rules = ", ".join(map(str, sorted(self._others)))
            many = number_of(self._not_made, "choice was", "choices were")
            yield f"{many} made by rules {rules} of another version of arena-server, not {RULES}"

    def _identity(self, choice: Choice, those: Candidates, ladder: LadderDefinition) -> Iterator[str]:
        """Hold the owners and anchors of candidates against the ladder file, and against those of other choices."""
        if (choice.file, choice.roster) in self._identified:
            return
        self._identified.add((choice.file, choice.roster))
        fixed: dict[str, tuple[str, float | None]] = {one.name: (one.owner, None) for one in ladder.programs}
        fixed |= {level.name: ("", level.anchor) for level in ladder.levels}
        for name, owner, anchor in those.players:
            right = self._identities.setdefault((choice.file, name), fixed.get(name, (owner, None)))
            if (owner, anchor) != right:
                its, mine = _whose(owner, anchor), _whose(*right)
                yield f"{_name(choice)}: {name} is {its} there, and {mine} by the ladder file or other choices"

    def _drop(self, choice: Choice) -> Iterator[str]:
        """Take away what was dropped before a choice."""
        last = choice.dropped if choice is self._first else self._last_dropped
        while self._dropped and self._dropped[0].number <= choice.dropped:
            dropped = self._dropped.popleft()
            last = dropped.number if choice is self._first or dropped.number == last + 1 else last
            self._running.pop(dropped.match, None)
            self._left_out += choice is not self._first
            if dropped.died:
                self._recent.append(dropped)
        if choice is not self._first and last != choice.dropped:
            yield f"{_name(choice)}: nothing tells of games that were dropped before it, up to number {choice.dropped}"
        self._last_dropped = choice.dropped
        self._recent = [one for one in self._recent if one.counted > choice.counted - DROPPED_MEMORY]

    def _again(
        self, choice: Choice, those: Candidates, ladder: LadderDefinition, ratings: Mapping[str, Rating]
    ) -> Iterator[str]:
        if those.rules != RULES:
            self._others.add(those.rules)
            self._not_made += 1
            return
        running = {match: pairing for match, (pairing, _) in self._running.items()}
        dropped = [Pairing(one.variant, one.first, one.second) for one in self._recent]
        known = Known(ratings, self._counts, running, dropped)
        again = choose(ladder, those, known, choice.slots, choice.date, choice.waiting)
        right = [(pairing.variant, opening, pairing.first, pairing.second) for pairing, opening in again]
        chosen = [self._games.get(match) for match in choice.matches]
        if chosen != right:
            self._different += 1
            if self._different <= MAX_NAMED:
                its = " and ".join(map(_words, filter(None, chosen))) or "nothing"
                mine = " and ".join(map(_words, right)) or "nothing"
                yield f"{_name(choice)}: it is {its}, and by all that was known then {mine}"


def _played(game: MonthGame) -> tuple[str, int, str, str]:
    return (game.variant, game.opening, *game.players)


def _words(game: tuple[str, int, str, str]) -> str:
    variant, opening, first, second = game
    return f"{first} against {second} in {variant} from opening {opening}"


def _whose(owner: str, anchor: float | None) -> str:
    return f"a bot of {owner or 'nobody'}" if anchor is None else f"a fixed point at {anchor} Elo"


def _name(choice: Choice) -> str:
    return f"choice {choice.number}, behind game {choice.counted}"

"""Keys that positions share which mirror each other, so that a book has one record for all of them; what they draw."""

from engine.duel.openings import split_mix
from engine.games.interface import UNDECIDED, Arena, Kernel, Rules, State
from engine.search.memory import ROOM


def standing(rules: Rules, state: State) -> State:
    """Return the position that stands for all that mirror this one; itself in games that know no symmetries."""
    return state if rules.canonical is None else rules.canonical(state)


def shared_key(rules: Rules, state: State) -> int:
    """Return the key that a position shares with those that mirror it."""
    return int(rules.hash_of(standing(rules, state)))


def drawn(seed: int, key: int) -> int:
    """Return a random number that belongs to a seed and a key."""
    return next(split_mix(next(split_mix(seed)) ^ key))


class Children:
    """Lists what moves lead to, one position after the other."""

    def __init__(self, kernel: Kernel) -> None:
        """Take a kernel of the variant."""
        self._rules = kernel.rules
        self._arena: Arena = kernel.arena(ROOM)

    def states(self, state: State) -> list[State]:
        """Return the children of a position, in their order; raises OverflowError where these are too many."""
        rules = self._rules
        return [rules.load(self._arena, number) for number in range(rules.children(state, self._arena, 0))]

    def keys(self, state: State) -> list[int]:
        """Return the shared key of each child, in their order; raises OverflowError where these are too many."""
        return [shared_key(self._rules, child) for child in self.states(state)]

    def child(self, state: State, number: int) -> State:
        """Return the position that stands for a child."""
        self._rules.children(state, self._arena, 0)
        return standing(self._rules, self._rules.load(self._arena, number))

    def goes_on(self, state: State) -> bool:
        """Tell whether the game is not over."""
        return bool(self._rules.verdict(state) == UNDECIDED)

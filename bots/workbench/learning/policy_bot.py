"""A bot of what was learned: a function from observations to actions that plays on the server."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from numpy.typing import NDArray

from bots.bot import Bot, Clocks
from bots.workbench.learning.episode import Episode
from engine.games.interface import Position

Observation: TypeAlias = Mapping[str, NDArray[Any]]
"""What the side to move sees, as in the environment of PettingZoo: ``observation`` has the planes and ``action_mask`` a
one for each legal action."""

Policy: TypeAlias = Callable[[Observation], int]
"""Returns a legal action for an observation."""


class PolicyBot(Bot):
    """Plays the actions of a policy, as many as a move takes."""

    def __init__(self, policy: Policy) -> None:
        """Take the policy."""
        self.policy = policy

    def choose(self, position: Position, clocks: Clocks) -> str:
        """Ask the policy until a move is complete; raises `engine.games.interface.BadMove` for a wrong action."""
        episode = Episode(self.history, self.match.move_limit)
        while episode.history.plies == self.history.plies:
            seen: Observation = {"observation": episode.observe(episode.turn), "action_mask": episode.mask()}
            episode = episode.after(int(self.policy(seen)))
        return episode.history.moves[-1]

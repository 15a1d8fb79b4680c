"""Every game and variant as an environment of PettingZoo, for programs that learn from play.

    from bots.workbench.pettingzoo_env import env

    game = env("gipf", "3 3 9 9")
    game.reset(seed=1)
    for agent in game.agent_iter():
        observation, reward, termination, truncation, info = game.last()
        over = termination or truncation
        game.step(None if over else game.action_space(agent).sample(observation["action_mask"]))

It has the agents ``player_0``, who begins, and ``player_1``. An observation has two parts: ``observation``, the planes
that `engine.match.encoding.Encoding.observe` returns for the agent, and ``action_mask``, the legal actions,
all zeros for who is not to move. A move may take several steps of the same agent. The reward comes at the end: 1 for a
win, -1 for a loss, 0 for a draw. Draws by repetition, without progress and at the move limit are those of matches, so
that no game is cut off: ``truncation`` is never set. ``info`` has the reason at the end.

The extra ``pettingzoo`` installs what is needed.
"""

from typing import Any

from numpy.typing import NDArray

from bots.workbench.learning import Episode
from engine.commands.program import install_line
from engine.games.catalogue import GAMES, USUAL_GAME, unknown_game
from engine.games.interface import MOVE_LIMIT

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error}; {install_line('pettingzoo')} installs it", name=error.name) from None

AGENTS = ("player_0", "player_1")
"""The agents by side, the one that begins first."""

RENDER_MODES = ["ansi", "human"]

Observation = dict[str, NDArray[Any]]


def env(
    game: str = USUAL_GAME, params: str = "", *, move_limit: int = MOVE_LIMIT, render_mode: str | None = None
) -> Any:
    """Make an environment in PettingZoo's usual wrappers: an illegal action loses, other wrong uses raise.

    Without parameters it is the usual variant. Raises ValueError where there is no such game, variant or render mode.
    """
    made = wrappers.TerminateIllegalWrapper(ArenaEnv(game, params, move_limit, render_mode), illegal_reward=-1.0)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(made))


class ArenaEnv(AECEnv):
    """A game as an environment, without wrappers."""

    metadata = {"name": "gipf_arena_v0", "render_modes": RENDER_MODES, "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, game: str, params: str, move_limit: int, render_mode: str | None) -> None:
        """Begin nothing yet: `reset` does."""
        super().__init__()
        if game not in GAMES:
            raise ValueError(unknown_game(game))
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"render_mode is {render_mode!r}, but there are ansi and human")
        self.render_mode = render_mode
        self._begin = self._episode = Episode.begin(game, params, move_limit)
        encoding = self._begin.encoding
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.action_spaces = {agent: spaces.Discrete(encoding.size) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, encoding.shape, "float32"),
                    "action_mask": spaces.Box(0, 1, (encoding.size,), "int8"),
                }
            )
            for agent in AGENTS
        }

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the game anew. There is no chance in it: a seed changes nothing."""
        self._episode = self._begin
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, str]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self._episode.turn]
        self._end_if_over()  # some set-ups of arrows are lost before the first move
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees."""
        side = AGENTS.index(agent)
        mask = self._episode.mask()
        return {
            "observation": self._episode.observe(side),
            "action_mask": mask if agent == self.agent_selection else mask * 0,
        }

    def step(self, action: Any) -> None:
        """Make an action for the agent that is to move; raises `engine.games.interface.BadMove`.

        An agent whose game is over steps with None.
        """
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._episode = self._episode.after(int(action))
        self.agent_selection = AGENTS[self._episode.turn]
        self._end_if_over()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the board as text (``ansi``), or print it (``human``)."""
        position = self._episode.history.position
        drawn = f"{position.picture()}{position.summary()}\n"
        if self.render_mode != "human":
            return drawn
        print(drawn, flush=True)
        return None

    def _end_if_over(self) -> None:
        outcome = self._episode.outcome
        if outcome is not None:
            self.rewards = dict(zip(AGENTS, self._episode.returns(), strict=True))
            self.terminations = dict.fromkeys(AGENTS, True)
            self.infos = {agent: {"reason": str(outcome.reason), "sentence": outcome.detail} for agent in AGENTS}

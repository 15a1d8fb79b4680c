"""Every game and variant as a game of OpenSpiel, and bots of OpenSpiel as bots of the arena.

    import pyspiel
    from bots.workbench.learning import open_spiel_game

    game = pyspiel.load_game("gipf_arena", {"game": "gipf", "params": "3 3 9 9"})

Importing this module registers ``gipf_arena``, with the parameters ``game``, ``params`` (empty: the usual variant) and
``move_limit``. Actions and observations are those of `engine.record.dataset.encoding.Encoding`; a move may take several
actions of the same player. Draws by repetition, without progress and at the move limit are those of matches.

    from bots.client.run import play
    from open_spiel.python.algorithms import mcts

    def searcher(game):
        return mcts.MCTSBot(game, 1.4, 100, mcts.RandomRolloutEvaluator())

    play(open_spiel_game.OpenSpielBot(searcher), name="mcts", game="mnk", params="3 3 3")

The extra ``openspiel`` installs what is needed.
"""

from collections.abc import Callable
from typing import Any

import numpy

from bots.bot import Bot, Clocks
from bots.workbench.learning.episode import Episode
from engine.games.catalogue import GAMES, USUAL_GAME, unknown_game
from engine.games.interactive_game import MOVE_LIMIT
from engine.games.interface import Position

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error}; pip install 'gipf-arena[openspiel]' installs it", name=error.name) from None

PLAYERS = 2

GAME_TYPE = pyspiel.GameType(
    short_name="gipf_arena",
    long_name="GIPF, arrows, nine men's morris and m,n,k-games",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=PLAYERS,
    min_num_players=PLAYERS,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"game": USUAL_GAME, "params": "", "move_limit": MOVE_LIMIT},
)


class ArenaGame(pyspiel.Game):
    """A game and variant."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Take the parameters of `GAME_TYPE`; raises ValueError for an unknown game or variant, or a bad move limit."""
        given = {**GAME_TYPE.parameter_specification, **(params or {})}
        if given["game"] not in GAMES:
            raise ValueError(unknown_game(given["game"]))
        if given["move_limit"] < 1:
            raise ValueError(f"move_limit is {given['move_limit']}, but a game takes a move at least")
        self.begin = Episode.begin(given["game"], given["params"], given["move_limit"])
        info = pyspiel.GameInfo(
            num_distinct_actions=self.begin.encoding.size,
            max_chance_outcomes=0,
            num_players=PLAYERS,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=_most_moves(self.begin) * self.begin.encoding.actions_per_move,
        )
        super().__init__(GAME_TYPE, info, given)

    def new_initial_state(self) -> "ArenaState":
        """Return the state in which a game begins."""
        return ArenaState(self, self.begin)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Any:
        """Return what observes a state."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PlanesObserver(self.begin.encoding.shape, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class ArenaState(pyspiel.State):
    """A game so far."""

    def __init__(self, game: ArenaGame, episode: Episode) -> None:
        """Begin with an episode."""
        super().__init__(game)
        self.episode = episode

    def current_player(self) -> int:
        """Return who makes the next action: 0 the side that began the game, 1 the other; or that the game is over."""
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else self.episode.turn

    def is_terminal(self) -> bool:
        """Tell whether the game is over."""
        return self.episode.outcome is not None

    def returns(self) -> list[float]:
        """Return what the game was worth to both players: 1 a win, -1 a loss, 0 a draw, or a game that goes on."""
        return list(self.episode.returns())

    def __str__(self) -> str:
        """Return the position as text, and behind it the actions of the move under way."""
        made = [self.episode.encoding.name(action) for action in self.episode.made]
        return self.episode.history.position.text() + "".join(f"{name}\n" for name in made)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.episode.legal) if player == self.episode.turn else []

    def _apply_action(self, action: int) -> None:
        self.episode = self.episode.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.episode.encoding.name(action)


class PlanesObserver:
    """Observes a state as planes; one of OpenSpiel's observers."""

    def __init__(self, shape: tuple[int, int, int], params: dict[str, Any] | None) -> None:
        """Make the tensor that every observation is written into."""
        if params:
            raise ValueError(f"the observer takes no parameters, not {params}")
        self.tensor = numpy.zeros(shape, numpy.float32).reshape(-1)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: ArenaState, player: int) -> None:
        """Write what a player sees."""
        self.dict["observation"][:] = state.episode.observe(player)

    def string_from(self, state: ArenaState, player: int) -> str:
        """Return the state as text, the same for both players."""
        return str(state)


class OpenSpielBot(Bot):
    """Plays on the server what a bot of OpenSpiel chooses."""

    def __init__(self, make: Callable[[ArenaGame], Any]) -> None:
        """Take what makes a ``pyspiel.Bot`` for a game; it is called once for each choice of a move."""
        self.make = make

    def choose(self, position: Position, clocks: Clocks) -> str:
        """Let the bot make actions until a move is complete."""
        begin = self.history.start
        parameters = {"game": begin.game.name, "params": begin.parameters, "move_limit": self.match.move_limit}
        game = ArenaGame(parameters)
        state = ArenaState(game, Episode(self.history, self.match.move_limit))
        bot = self.make(game)
        while state.episode.history.plies == self.history.plies:
            state.apply_action(bot.step(state))
        return state.episode.history.moves[-1]


def _most_moves(begin: Episode) -> int:
    """Return how many moves a game can take."""
    kernel = begin.history.position.kernel(compile=False)
    plies_left = kernel.rules.plies_left
    return min(begin.move_limit, plies_left(kernel.state)) if plies_left else begin.move_limit


pyspiel.register_game(GAME_TYPE, ArenaGame)

"""The smallest bot: plays a random legal move. Copy it and choose better."""

from random import Random

from bots.client import Bot, Clocks, Position, play


class RandomBot(Bot):
    """Plays a legal move at random; the same seed plays the same moves."""

    def __init__(self, seed: int | None = None) -> None:
        """Seed the random moves; without a seed every bot plays differently."""
        self._random = Random(seed)

    def choose(self, position: Position, clocks: Clocks) -> str:
        """Choose one of the moves as text, as in ["a2-b3", "a5-b5 b: e5 h2"]."""
        return self._random.choice(position.legal_moves)


if __name__ == "__main__":
    play(RandomBot())

"""Pictures of a position and of a whole game. Pure."""

from typing import Annotated, TypeAlias

from msgspec import Meta

from engine.games.boards import game_pictures
from engine.games.history import History
from server.web.play.questions import Question, Refusal, history_of

SVG, PNG, GIF = "image/svg+xml", "image/png", "image/gif"

MEDIA_TYPES = {"picture": SVG, "png": PNG, "gif": GIF}
"""The kinds of pictures, and what they are sent as."""

Words: TypeAlias = Annotated[str, Meta(max_length=200)]
"""A text in a picture."""


class PictureQuestion(Question, frozen=True, kw_only=True):
    """A question for a picture of a game, with all its moves so far."""

    night: bool = False
    """Whether it is for dark pages."""
    scale: Annotated[int, Meta(ge=1, le=3)] = 1
    """How many times as large a PNG is."""
    players: tuple[Words, Words] = ("", "")
    """Who plays, for an animation; the names of the sides where they are empty."""
    ending: Words = ""
    """The result, for an animation."""


def draw(kind: str, question: PictureQuestion) -> bytes:
    """Return a picture of one of the kinds; raises `Refusal`."""
    history, night = history_of(question), question.night
    try:
        if kind == "picture":
            return game_pictures.svg(history.start, history.moves, night=night).encode()
        if kind == "png":
            return game_pictures.png(history.start, history.moves, night=night, scale=question.scale)
        return game_pictures.animation(
            history.start, history.moves, _names(question, history), question.ending, night=night
        )
    except game_pictures.NotDrawn as error:
        raise Refusal(str(error)) from None


def _names(question: PictureQuestion, history: History) -> tuple[str, ...]:
    sides = history.start.game.sides
    return tuple(name or side for name, side in zip(question.players, sides, strict=True))

"""What programs may ask, and what the answers are made of: the table from which routes and descriptions are made."""

from dataclasses import dataclass

import msgspec

from server.web.api.records import PlayedMatch
from server.web.http.answers import JSON
from server.web.play import exact
from server.web.play.pictures import GIF, PNG, SVG, PictureQuestion
from server.web.play.questions import Advice, Answer, Question, Rows
from server.web.replay.evaluations import Values
from server.web.replay.match_frames import Info, NoteView, Now
from server.web.views.contests import Entry
from server.web.views.lobby import Overview, Running

TEXT, NDJSON, EVENTS = "text/plain", "application/x-ndjson", "text/event-stream"

BASE = "/api/v1"
"""What all paths begin with. A change that breaks a program gets another number."""


class GameEntry(msgspec.Struct, frozen=True):
    """A game, its sides, the one that begins first, and its usual variant."""

    name: str
    sides: tuple[str, str]
    parameters: str


class MatchState(msgspec.Struct, frozen=True, kw_only=True):
    """A match: what is fixed, and how it stands, with all its moves."""

    info: Info
    now: Now


class Fault(msgspec.Struct, frozen=True):
    """Why there is no answer."""

    error: str
    """One sentence."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A request that programs may make."""

    path: str
    """Behind BASE, as in OpenAPI."""
    summary: str
    answer: object
    """The type of the answer, of each of its lines, or of the data of each event."""
    media_type: str = JSON
    method: str = "GET"
    query: tuple[tuple[str, str], ...] = ()
    """Names and meanings of what may stand behind the question mark."""
    body: type | None = None
    serves: str = ""
    """The route of the pages that answers it, where there is one."""


OPERATIONS = (
    Operation(
        path="/games", summary="The games that are played here", answer=tuple[GameEntry, ...], serves="/api/play/games"
    ),
    Operation(
        path="/matches",
        summary="Running matches, the newest first, sixty at most",
        answer=Running,
        query=(("name", "a part of the name of a player"), ("before", "only matches with lower numbers")),
        serves="/api/matches",
    ),
    Operation(path="/matches/{number}", summary="A match, running or over", answer=MatchState),
    Operation(
        path="/matches/{number}/record",
        summary="The record of a match that is over, which can be verified by the rules",
        answer=str,
        media_type=TEXT,
        serves="/api/matches/{number:number}/record",
    ),
    Operation(
        path="/matches/{number}/notes",
        summary="What the players of a match that is running, or was over recently, have noted",
        answer=tuple[NoteView, ...],
        query=(("from", "how many of the first notes to leave out"),),
        serves="/api/matches/{number:number}/notes",
    ),
    Operation(
        path="/matches/{number}/evaluations",
        summary="What the search thinks of the positions of a match that is over, within a total number of nodes",
        answer=Values,
        serves="/api/matches/{number:number}/values",
    ),
    Operation(
        path="/matches/{number}/events",
        summary="The live events of a running match: what is new since the event before",
        answer=Now,
        media_type=EVENTS,
        serves="/live/matches/{number:number}",
    ),
    Operation(
        path="/records",
        summary="Matches that are over, the newest first, one in each line",
        answer=PlayedMatch,
        media_type=NDJSON,
        query=(("before", "only matches with lower numbers"), ("limit", "how many, 1 to 1000; 100 if missing")),
    ),
    Operation(path="/records/{number}", summary="A match that is over, with its moves", answer=PlayedMatch),
    Operation(
        path="/lobby/events",
        summary="The live events of the lobby: players, matches, results, contests",
        answer=Overview,
        media_type=EVENTS,
        serves="/live/lobby",
    ),
    Operation(path="/contests", summary="Contests", answer=tuple[Entry, ...], serves="/api/contests"),
    Operation(
        path="/position",
        summary="A position: its pieces, its text, its legal moves, and its result where the game is over",
        answer=Answer,
        method="POST",
        body=Question,
        serves="/api/play/look",
    ),
    Operation(
        path="/picture",
        summary="A picture of a position, its last move marked",
        answer=str,
        media_type=SVG,
        method="POST",
        body=PictureQuestion,
        serves="/api/play/picture",
    ),
    Operation(
        path="/picture.png",
        summary="The same picture as PNG, up to three times as large",
        answer=str,
        media_type=PNG,
        method="POST",
        body=PictureQuestion,
        serves="/api/play/png",
    ),
    Operation(
        path="/picture.gif",
        summary="A game as an animated picture, of a long one the last 240 moves",
        answer=str,
        media_type=GIF,
        method="POST",
        body=PictureQuestion,
        serves="/api/play/gif",
    ),
    Operation(
        path="/rows",
        summary="The rows of GIPF that can be taken after a push",
        answer=Rows,
        method="POST",
        body=Question,
        serves="/api/play/rows",
    ),
    Operation(
        path="/evaluation",
        summary="The best move and its score by a search of at most 10 seconds, exact where a tablebase knows it",
        answer=Advice,
        method="POST",
        body=Question,
        serves="/api/play/think",
    ),
    Operation(
        path="/probe",
        summary="The exact result and distance of each move, from the tablebase of the variant where there is one",
        answer=exact.Values,
        method="POST",
        body=Question,
        serves="/api/play/values",
    ),
)

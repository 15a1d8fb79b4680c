"""Every message of the protocol as a value, and the error codes; `engine.wire.coding` has the line of each message.

An ERROR line carries a code and a sentence. An error changes nothing: the line that caused it is ignored, unless BYE
follows.
"""

from enum import StrEnum
from typing import Any, NamedTuple, NewType, TypeAlias

Text = NewType("Text", str)
Block = NewType("Block", tuple[str, ...])

VERSION = 1
"""Version of the protocol, in the greeting. It rises when an old client would no longer work."""

PORT = 2754
"""Where a server listens unless it is told otherwise."""

MICROSECONDS = 1000
"""Microseconds in a millisecond, the unit of times on the wire."""


class Code(StrEnum):
    """Why a line was not accepted."""

    LINE_TOO_LONG = "line_too_long"
    BAD_LINE = "bad_line"
    """Not UTF-8, or with characters that cannot be printed."""
    UNKNOWN_COMMAND = "unknown_command"
    BAD_ARGUMENTS = "bad_arguments"
    """A known command with fields missing, too many, or of the wrong kind."""
    WRONG_STATE = "wrong_state"
    """A command that is not possible now."""
    NOT_YOUR_TURN = "not_your_turn"
    """A MOVE or MOVES while the other side is to move, or no match is being played."""
    BAD_NAME = "bad_name"
    NAME_TAKEN = "name_taken"
    BAD_TOKEN = "bad_token"
    UNKNOWN_GAME = "unknown_game"
    BAD_PARAMETERS = "bad_parameters"
    BAD_TIME = "bad_time"
    """A budget or increment outside the server's limits."""
    UNKNOWN_MATCH = "unknown_match"
    UNKNOWN_PLAYER = "unknown_player"
    TOO_MANY = "too_many"
    """A bound of the server is reached: connections, matches, requests in one turn, moves to list."""
    STOPPING = "stopping"
    """The server is shutting down and begins no new match."""
    SERVER_FAULT = "server_fault"
    """Something is wrong with the server itself."""


class ProtocolError(Exception):
    """Bytes of the peer break the protocol. The one exception that bytes from a peer raise."""

    def __init__(self, code: Code, sentence: str, line: str = "") -> None:
        """Keep the code beside the sentence, and the beginning of a line that cannot be read."""
        super().__init__(sentence)
        self.code = code
        self.line = line


# What clients say.


class Login(NamedTuple):
    """``LOGIN name [token]``: say who you are."""

    name: str
    token: str = ""


class Resume(NamedTuple):
    """``RESUME match token``: come back to a match after a lost connection, in place of LOGIN."""

    match: int
    token: str


class Seek(NamedTuple):
    """``SEEK game [key=value ...]``: wait to be paired."""

    game: str
    options: Text = Text("")


class Cancel(NamedTuple):
    """``CANCEL``: stop waiting to be paired."""


class Ready(NamedTuple):
    """``READY``: initialisation is done; stops the clock until the first turn."""


class Move(NamedTuple):
    """``MOVE move``: play."""

    move: Text


class Note(NamedTuple):
    """``NOTE note``: say what you think of the game, for its record; never a reason to lose."""

    note: Text


class Resign(NamedTuple):
    """``RESIGN``: give up the match."""


class Crashed(NamedTuple):
    """``CRASHED [sentence]``: give up the match because your program has failed; the sentence says how."""

    sentence: Text = Text("")


class Stderr(NamedTuple):
    """``STDERR line``: add a line to your log of the match, like a line of your program on stderr."""

    line: Text


class AskBoard(NamedTuple):
    """``BOARD``: ask for the position."""


class AskMoves(NamedTuple):
    """``MOVES``: ask for the legal moves, on your turn."""


class List(NamedTuple):
    """``LIST``: ask for the matches."""


class Watch(NamedTuple):
    """``WATCH match``: follow a match from its beginning."""

    match: int


class Unwatch(NamedTuple):
    """``UNWATCH``: stop watching."""


class AskRecord(NamedTuple):
    """``RECORD match``: ask for the record of a finished match."""

    match: int


class AskLog(NamedTuple):
    """``LOG match [token]``: ask for your log of a finished match: the stderr output of your program."""

    match: int
    token: str = ""


class Ping(NamedTuple):
    """``PING [text]``: ask for an answer."""

    text: Text = Text("")


class Echo(NamedTuple):
    """``PONG [text]``: answer the server's PING."""

    text: Text = Text("")


class AskHelp(NamedTuple):
    """``HELP``: ask for the commands."""


class Quit(NamedTuple):
    """``QUIT``: say goodbye."""


class Organise(NamedTuple):
    """``ORGANISE token``: be an organiser of this server, in place of LOGIN."""

    token: str


class Annul(NamedTuple):
    """``ANNUL match [sentence]``: as an organiser, end a running match without a result."""

    match: int
    sentence: Text = Text("")


class Dismiss(NamedTuple):
    """``DISMISS name [sentence]``: as an organiser, disconnect a player."""

    name: str
    sentence: Text = Text("")


# What the server says.


class Arena(NamedTuple):
    """``ARENA version server access``: the greeting; access is ``open`` or ``token``."""

    version: int
    server: str
    access: str


class Welcome(NamedTuple):
    """``WELCOME name``: logged in."""

    name: str


class Seeking(NamedTuple):
    """``SEEKING game [key=value ...]``: waiting to be paired, under these conditions."""

    game: str
    options: Text = Text("")


class Cancelled(NamedTuple):
    """``CANCELLED``: waiting no more."""


class Awaited(NamedTuple):
    """``AWAITED name presence``: the opponent that was named is ``absent``, ``here``, ``seeking`` or ``playing``."""

    name: str
    presence: str


class Plays(NamedTuple):
    """``PLAYS name match``: the opponent that was named, and is ``playing``, plays this match."""

    name: str
    match: int


class Match(NamedTuple):
    """``MATCH match game parameters side opponent budget increment move-limit token``: a match begins, or is resumed.

    Times in milliseconds, the limit in moves, parameters separated by commas (``-`` for none).
    """

    match: int
    game: str
    parameters: str
    side: str
    opponent: str
    budget: int
    increment: int
    move_limit: int
    token: str


class Watching(NamedTuple):
    """``WATCHING match game parameters first second budget increment move-limit``: a match is being watched."""

    match: int
    game: str
    parameters: str
    first: str
    second: str
    budget: int
    increment: int
    move_limit: int


class Unwatched(NamedTuple):
    """``UNWATCHED``: watching no more."""


class Board(NamedTuple):
    """``BOARD lines``: a position in the game's text form."""

    lines: Block


class Start(NamedTuple):
    """``START first second``: both are ready; what both have left, in milliseconds."""

    first: int
    second: int


class Turn(NamedTuple):
    """``TURN yours theirs``: it is your turn and your clock runs; both clocks in milliseconds."""

    yours: int
    theirs: int


class Moved(NamedTuple):
    """``MOVED ply side first second move``: a move was made, in canonical notation; both clocks in milliseconds."""

    ply: int
    side: str
    first: int
    second: int
    move: Text


class Noted(NamedTuple):
    """``NOTED ply side note``: what a player has noted of a move; for spectators, when they may know."""

    ply: int
    side: str
    note: Text


class Result(NamedTuple):
    """``RESULT match result reason first second [sentence]``: the match is over.

    The result is the winning side, ``draw`` or ``annulled``; both clocks in milliseconds.
    """

    match: int
    result: str
    reason: str
    first: int
    second: int
    sentence: Text = Text("")


class Opponent(NamedTuple):
    """``OPPONENT presence``: the opponent's connection was lost (``gone``), or resumed (``back``)."""

    presence: str


class Moves(NamedTuple):
    """``MOVES lines``: the legal moves, one a line."""

    lines: Block


class Matches(NamedTuple):
    """``MATCHES lines``: the matches, one a line: match game parameters first second budget increment plies state."""

    lines: Block


class Record(NamedTuple):
    """``RECORD match lines``: the record of a finished match."""

    match: int
    lines: Block


class Log(NamedTuple):
    """``LOG match lines``: the log of a player in a finished match, a line each: side ply ``|`` text."""

    match: int
    lines: Block


class Pong(NamedTuple):
    """``PONG [text]``: the answer to PING."""

    text: Text = Text("")


class Probe(NamedTuple):
    """``PING [text]``: how long does the way to you and back take?"""

    text: Text = Text("")


class Organising(NamedTuple):
    """``ORGANISING``: an organiser from now on."""


class Annulled(NamedTuple):
    """``ANNULLED match``: the match has ended without a result."""

    match: int


class Dismissed(NamedTuple):
    """``DISMISSED name``: the player was disconnected."""

    name: str


class Help(NamedTuple):
    """``HELP lines``: the commands."""

    lines: Block


class Error(NamedTuple):
    """``ERROR code [sentence]``: the last line was not accepted, and changed nothing."""

    code: str
    sentence: Text = Text("")


class Notice(NamedTuple):
    """``NOTICE code [sentence]``: a note was left out; this changes nothing and is no error."""

    code: str
    sentence: Text = Text("")


class Announcement(NamedTuple):
    """``ANNOUNCEMENT sentence``: an organiser tells everybody who does not play; for people, and changes nothing."""

    sentence: Text


class Bye(NamedTuple):
    """``BYE reason [sentence]``: the server closes the connection."""

    reason: str
    sentence: Text = Text("")


REQUESTS: dict[str, type] = {
    "LOGIN": Login,
    "RESUME": Resume,
    "SEEK": Seek,
    "CANCEL": Cancel,
    "READY": Ready,
    "MOVE": Move,
    "NOTE": Note,
    "RESIGN": Resign,
    "CRASHED": Crashed,
    "STDERR": Stderr,
    "BOARD": AskBoard,
    "MOVES": AskMoves,
    "LIST": List,
    "WATCH": Watch,
    "UNWATCH": Unwatch,
    "RECORD": AskRecord,
    "LOG": AskLog,
    "PING": Ping,
    "PONG": Echo,
    "HELP": AskHelp,
    "QUIT": Quit,
    "ORGANISE": Organise,
    "ANNUL": Annul,
    "DISMISS": Dismiss,
}
"""The requests of clients, by kind."""

REPLIES: dict[str, type] = {
    "ARENA": Arena,
    "WELCOME": Welcome,
    "SEEKING": Seeking,
    "CANCELLED": Cancelled,
    "AWAITED": Awaited,
    "PLAYS": Plays,
    "MATCH": Match,
    "WATCHING": Watching,
    "UNWATCHED": Unwatched,
    "BOARD": Board,
    "START": Start,
    "TURN": Turn,
    "MOVED": Moved,
    "NOTED": Noted,
    "RESULT": Result,
    "OPPONENT": Opponent,
    "MOVES": Moves,
    "MATCHES": Matches,
    "RECORD": Record,
    "LOG": Log,
    "PONG": Pong,
    "PING": Probe,
    "ORGANISING": Organising,
    "ANNULLED": Annulled,
    "DISMISSED": Dismissed,
    "HELP": Help,
    "ERROR": Error,
    "NOTICE": Notice,
    "ANNOUNCEMENT": Announcement,
    "BYE": Bye,
}
"""The messages of the server, by kind."""

Message: TypeAlias = Any  # one of the classes above
WITH_BLOCK = frozenset((Board, Moves, Matches, Record, Log, Help))
KINDS: dict[type, str] = {cls: kind for table in (REQUESTS, REPLIES) for kind, cls in table.items()}


def board_of(text: str) -> Board:
    """Return BOARD with the text form of a position."""
    return Board(Block(tuple(text.splitlines())))

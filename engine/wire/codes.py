"""The error codes of the protocol. An ERROR line carries one, and a sentence.

An error changes nothing: the line that caused it is ignored, unless BYE follows.
"""

from enum import StrEnum


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

"""The exceptions of the client library. ``str(error)`` is always one line for people.

ArenaError
|- Unreachable      no connection can be made, or none any more
|- ConnectionLost   the connection broke; `bots.client.run` comes back from it, so callers of `play` never see it
|- Refused          the server said ERROR or BYE to something that cannot go on without it
|- ServerFault      the server broke the protocol, or played a move that the rules here refuse
`- BotFailed        the bot raised an exception; it is the ``__cause__``
`- BadChoice     the bot chose what is no legal move: ``move``, which may be anything
"""

REMEDIES = {"name_taken": "choose another name, or wait until it is free"}
"""Advice on refusals by the server, by error code."""


class ArenaError(Exception):
    """Base class of errors that end a session early."""


class Unreachable(ArenaError):
    """No connection can be made."""


class ConnectionLost(ArenaError):
    """A connection broke."""


class Refused(ArenaError):
    """The server refused what a session cannot go on without. ``code`` is the protocol's."""

    def __init__(self, code: str, sentence: str) -> None:
        """Take code and sentence."""
        says = f"the server says: {sentence} ({code})" if sentence else f"the server says: {code}"
        super().__init__(f"{says}; {REMEDIES[code]}" if code in REMEDIES else says)
        self.code = code


class ServerFault(ArenaError):
    """The server broke the protocol."""


class HiddenModule(ImportError):
    """A file in the bot's folder shadows a module that the client library needs."""


class BotFailed(ArenaError):
    """A bot raised an exception, and its match was given up."""


class BadChoice(BotFailed):
    """A bot chose an illegal move, and its match was given up."""

    def __init__(self, move: object, sentence: str) -> None:
        """Take the chosen move and a sentence."""
        super().__init__(sentence)
        self.move = move

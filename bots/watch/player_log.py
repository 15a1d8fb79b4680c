"""The log of one's own program in a finished match, as the server keeps it."""

from bots.client.connection import Connection
from bots.client.transport.address import Address
from engine.wire import messages as m


def fetch_log(where: Address, match: int, name: str, token: str) -> tuple[str, ...]:
    """Return the lines of a log, each with side, move and text; raises `bots.client.errors.ArenaError`.

    A token is enough: of the match, of the player or of the organiser. Without one, logs in under the name.
    """
    with Connection(*where) as connection:
        if name and not token:
            connection.send(m.Login(name))
            connection.answer(m.Welcome)
        connection.send(m.AskLog(match, token))
        found = connection.answer(m.Log)
        assert isinstance(found, m.Log)
        return tuple(found.lines)

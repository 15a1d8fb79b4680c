"""A browser that listens to server-sent events, without a network."""

import trio

from server.web.live import Mailbox

BEAT = "beat"


class Reader:
    """The stream of a browser that takes so many bytes, and then no more; and its mailbox."""

    def __init__(self, most: int = 10**9) -> None:
        self.open = True
        self.got = b""
        self.most = most
        self.mailbox = Mailbox(self)  # type: ignore[arg-type]

    def send_now(self, data: bytes) -> int:
        taken = data[: max(0, self.most - len(self.got))]
        self.got += taken
        return len(taken)

    async def send_all(self, data: bytes) -> None:
        while self.send_now(data) < len(data):
            await trio.sleep_forever()

    def events(self) -> list[tuple[str, str]]:
        """Return the names and the data of all events."""
        body, text = self.got, b""
        while body:
            length, _, rest = body.partition(b"\r\n")
            text, body = text + rest[: int(length, 16)], rest[int(length, 16) + 2 :]
        found = []
        for event in filter(None, text.decode().split("\n\n")):
            lines = event.split("\n")
            name = lines.pop(0).removeprefix("event: ") if lines[0].startswith("event: ") else ""
            found.append((name, "\n".join(line.removeprefix("data: ").strip() for line in lines)))
        return found

    def sent(self) -> list[tuple[str, str]]:
        """Return all events but beats."""
        return [event for event in self.events() if event[0] != BEAT]

    def data(self) -> list[str]:
        """Return the data of all events but beats."""
        return [data for _, data in self.sent()]

    def block(self, name: str) -> str:
        """Return the last data of an event with a name."""
        return next(data for sent, data in reversed(self.events()) if sent == name)

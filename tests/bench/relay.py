"""A bare trio relay: reads lines and hands them to the partner, nothing else. ``python -m tests.bench.relay``."""

import trio


async def main() -> None:
    """Pair connections in the order in which they come; print the port."""
    waiting: list[trio.SocketStream] = []
    partners: dict[trio.SocketStream, trio.SocketStream] = {}

    async def serve(stream: trio.SocketStream) -> None:
        if waiting:
            other = waiting.pop()
            for player in (other, stream):
                await player.send_all(b"MATCH\n")
            partners[stream], partners[other] = other, stream
            await other.send_all(b"TURN\n")
        else:
            waiting.append(stream)
        try:
            async for data in stream:
                if b"MOVE " in data:
                    await partners[stream].send_all(b"MOVED\nTURN\n")
        except trio.BrokenResourceError:
            pass

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=1024)
    print(listeners[0].socket.getsockname()[1], flush=True)
    await trio.serve_listeners(serve, listeners)


if __name__ == "__main__":
    trio.run(main)

"""The network: listeners, connections, send queue, rate limits, latency, stalls of the event loop.

- `connection`: one TCP connection: sends directly what the kernel takes, and queues the rest within a bound
- `event_loop`: clock and instruments of the event loop
- `latency`: latency probes: measure the round trip to a player
- `lending`: connections that another process of the server has for a while
- `listener`: listeners that survive a lack of descriptors or memory
- `os_faults`: classification of errors of the operating system: fault of a program, or of the machine
- `poller`: the poller: reads sockets of players in matches without waking a task for each
- `rate_limiter`: the rate limiter: quotas of connections, messages and work by address
- `send_queue`: the send queue: flushes all connections at the end of each pass of the event loop
- `stall_monitor`: the stall monitor: arrival stamps of bytes, and stalls of the event loop
- `web_socket`: one WebSocket connection: as a TCP connection, with each piece that is sent as a message of its own
"""

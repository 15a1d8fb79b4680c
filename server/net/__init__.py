"""The network: listeners, connections, send queues, rate limits, and the time that the event loop costs.

- `connection`: bytes to and from one peer: handed over where the kernel takes them, queued within a bound where it
  does not
- `event_loop`: the event loop as the server uses it: its clock, and what looks on while it turns
- `latency`: how long the way through the network to a player and back takes: the server asks, the player's program
  answers
- `listener`: the listener: listeners that go on when the server is out of descriptors or memory, and remember that it
  was
- `os_faults`: tells who is to blame where the operating system refuses something: the program that was to run, or the
  machine
- `rate_limiter`: the rate limiter: who is connected from where, and how much each has asked for
- `send_queue`: what is to be sent goes out together, at the end of each pass of the event loop
- `stall_monitor`: when bytes arrived, and what the event loop itself has lost: neither is charged to anybody
"""

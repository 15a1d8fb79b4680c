"""Programs on stdin and stdout as bots.

- `bridge`: a program that reads stdin and writes stdout, as a bot: in the lines of the protocol
- `process`: a process with all that it starts itself, and its end
- `program`: a program behind pipes: bytes in, bytes out, each within bounds
"""

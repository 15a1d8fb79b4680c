"""The network protocol without a network; `protocol.md` is its text for people.

- `messages`: every message as a value; `coding`: its line both ways
- `codes`: the error codes
- `lines`: bytes to lines, within bounds
- `words`: parameters as one word of a line
- `states`: the one table of who may say what when
- `ends`: both ends of a connection: bytes in, messages out
"""

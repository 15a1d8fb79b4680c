"""The network protocol without a network: bytes in, messages out; `protocol.md` is its text for people.

- `codes`: the error codes of the protocol
- `coding`: the lines of messages, both ways
- `ends`: both ends of a connection: bytes in, messages out
- `lines`: bytes to lines, within bounds
- `messages`: every message of the protocol as a value
- `notes`: what a NOTE says, both ways
- `pipes`: the protocol as programs on stdin and stdout speak it, whoever has started them
- `seat`: what a program is told that is started to play: where, as whom and what; in its environment and in its
  command
- `seek_options`: the options of SEEK, both ways
- `states`: who may say what when: one table for both ends of a connection
- `web_socket`: lines of the protocol in the messages of a WebSocket
- `words`: words of a line: names, and what stands for something else: parameters of a variant, both ways, and any
  game
"""

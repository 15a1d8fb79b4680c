"""The network protocol without a network: bytes in, messages out; `protocol.md` is its text for people."""

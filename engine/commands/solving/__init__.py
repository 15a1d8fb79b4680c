"""Commands that find out who wins with perfect play.

- `atlas`: ``arena-engine atlas``: solves one variant of a game after the other, and keeps what it has found in a file
- `solve`: ``arena-engine solve`` finds out who wins with perfect play, ``check`` verifies a certificate by the rules
  alone
- `verify`: ``arena-engine verify``: holds a tablebase against the rules, a random sample of it or all of it
"""

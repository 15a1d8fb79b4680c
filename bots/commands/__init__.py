"""The commands of ``arena-bot``, a function each.

- `check`: ``check``, the conformance test
- `manual`: what ``--help`` of a command ends with, as a manual page does: examples, and exit statuses
- `new`: ``new``, a folder with a new bot
- `offline`: commands that need no server: ``play`` and ``warm``
- `online`: commands that connect to a server: ``random``, ``alphabeta``, ``bridge`` and ``watch``
- `records`: commands about records of matches: ``replay`` and ``review``
- `options`: what they share: options, checks of what was asked for, and how a command ends
"""

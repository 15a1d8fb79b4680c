"""The commands of ``arena-bot``, a function each.

- `check`: ``check``, the conformance test
- `manual`: what ``--help`` of a command ends with, as a manual page does: examples, and exit statuses
- `new`: ``new``, a folder with a new bot
- `offline`: commands that need no server: ``play`` and ``warm``
- `online`: commands that connect to a server: ``random``, ``alphabeta``, ``bridge`` and ``watch``
- `records`: commands about records of matches: ``replay`` and ``review``
- `league_requests`: requests to the pages of a league, with the token of a bot
- `submit`: ``submit``, which sends a version of a bot to a league
- `versions`: ``versions`` and ``compare``: the versions of a bot in a league, and which is the stronger one
- `similar`: ``similar``, which programs of a class resemble each other
- `options`: what they share: options, checks of what was asked for, and how a command ends
"""

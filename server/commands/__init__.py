"""The commands of ``arena-server``.

- `check_contest`: ``arena-server contest FILE --check``: tests every program of a contest in a short game
- `console`: what commands print on while games are played
- `contest`: the command line of ``arena-server contest`` and its subcommands
- `demo`: ``arena-server demo``: one match between two bots over TCP, shown in the terminal
- `doctor`: ``arena-server doctor``: checks everything that a server needs before it is started
- `exits`: exit statuses and one-line errors of commands
- `grade`: ``arena-bot grade``: points for a class, from contests, matches and conformance tests, by a rule in TOML
- `options`: what the commands of ``arena-server`` share: options that are read in the same way, and how they fail
- `people`: ``arena-server people``: the accounts of a data directory: invitations, roles
- `run_contest`: runs ``arena-server contest``: opens a contest, serves it, and shows its progress
- `upkeep`: commands that keep what a server has: ``arena-server verify``, ``backup`` and ``restore``
"""

"""People: invitations, sessions of browsers, tokens of bots, roles, and the audit log.

- `accounts`: all of it, in the database
- `people`: who there is, as plain data, and what is refused
"""

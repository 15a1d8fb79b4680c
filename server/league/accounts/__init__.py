"""People: invitations, sessions of browsers, tokens of bots, roles, and the audit log."""

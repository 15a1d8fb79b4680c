"""The league: an arena that is always open, with people who have accounts.

- `accounts`: people: invitations, sessions of browsers, tokens of bots, roles, and the audit log
- `console`: what organisers see and do, and the audit log of it
- `comparisons`: matches between two versions of a bot, which its author asks for
- `database`: the database of all of it, ``league.sqlite3`` in the data directory
- `grading`: points for a class, by a rule, and what is published of them
- `ladder`: bots that play each other all the time, and their ratings
- `ladder_control`: what organisers change of it while it is played, and games that are set aside
- `months`: a month of the ladder as one signed file, and verifying that without the server
- `pages`: its pages and forms in the browser
- `retention`: removes what is old: built programs, logs, records of comparisons
- `similarity`: compares the active versions of all bots when an organiser asks for it
- `submissions`: versions of bots that their authors upload, which are built, checked and qualified in the sandbox
"""

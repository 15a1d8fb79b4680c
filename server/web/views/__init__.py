"""What pages show, as plain data.

- `board`: positions and moves as plain data that a page can draw
- `contest_night`: the page of a contest for a projector, as data: what its report tells, and which running games are
  shown first
- `contests`: contests as pages show them, from the reports that the server writes while it holds them
  (`server.contest.report.files`)
- `lobby`: the lobby as a page shows it: players, running matches, results
- `preview`: what other sites and chats show with a link to a page
- `pairings`: a match as a game of a contest, with the other games of the same two
"""

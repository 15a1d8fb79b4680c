"""Formats of contests: which games are to be played, and the table of a stage. Pure.

- `due_games`: which of the games that are due can begin at once
- `knockout`: knockout: who wins a meeting goes on, until one is left
- `ladder`: ladder: who is free plays somebody of about the same rating, for as long as the organiser lets it run
- `openings`: from where the games of a contest begin: positions that are given, or random moves that the seed repeats
- `plan`: what is to be played next, from the definition of a contest, the organiser's interventions in it, and the
  games
- `qualification`: the qualification: before the contest each entrant plays short games against the built-in bots
- `round_robin`: everybody meets everybody, and challengers meet the rest: formats whose games are all known from the
  beginning
- `seeded_random`: chance that a contest file repeats: the same seed gives the same order on every machine and in
  every version
- `standings`: the table of a stage: who stands where, and by what
- `swiss`: swiss: in each round those meet who have as many points, nobody meets anybody twice, and who is left over
  has a bye
"""

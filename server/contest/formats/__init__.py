"""Formats of contests: which games are to be played, and the table of a stage. Pure.

- `due_games`: chooses which of the due games can begin now
- `knockout`: knockout: the winner of each meeting goes on, until one player is left
- `ladder`: ladder: free players meet others with about the same rating, until a limit of games or time
- `openings`: openings of a contest: given positions, or random moves that a seed reproduces
- `plan`: plans the next games of a contest from its definition, the organiser's interventions and the games so far
- `qualification`: the qualification: before the contest each entrant plays short games against the built-in bots
- `round_robin`: round robin and gauntlet: formats whose games are all known from the beginning
- `seeded_random`: a reproducible shuffle: a seed gives the same order on every machine and in every version
- `standings`: the table of a stage: places, points and tie-breaks
- `swiss`: Swiss system: each round pairs players with similar points who have not met; an odd one has a bye
"""

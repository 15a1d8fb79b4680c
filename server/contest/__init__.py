"""Contests: what is to be played, and what the games say. All of it is pure; who plays them and keeps them is told.

- `contest_file`: the contest file, read into a `definition`
- `definition`: what a contest is: entrants, games, stages, rules
- `interventions`, `annulments`: what the organiser has changed since, and which results stand then
- `openings`: the positions in which games begin
- `chance`: an order by lot that the seed repeats
- `fixtures`: games before and after they are played
- `round_robin` (and gauntlets), `swiss`, `knockout`, `ladder`: the formats: who meets whom
- `qualification`: the games before the contest
- `result_of`: what is kept of a match that is over
- `absence`: games of those who do not come
- `conduct`: why games were lost, and whom that disqualifies
- `verification`: results held against their records and the rules
- `plan`: what is to be played next, from the definition and the games that are over
- `selection`: which of these games can begin at once
- `standings`: the table, tie-breaks and the crosstable
- `model`, `ratings`: strengths by maximum likelihood, and how sure they are
- `comparison`: Elo and a sequential test between two
"""

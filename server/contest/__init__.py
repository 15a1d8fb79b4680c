"""Contests: from the contest file to the final report.

What is to be played and what the games say is pure (`formats`, `scoring`, `report`); `runtime` holds a contest,
`hosts` play its games, `programs` seals the programs of entrants, `store` keeps it all.

- `contest_file`: the contest file: TOML in, a `Definition` out, or one sentence about the first thing that is wrong
  with it
- `definition`: what a contest is: all that its file says, read and checked
- `export`: a contest that is over as one signed file, and verifying that without the server
- `fixtures`: games of a contest before and after they are played: plain data, from which all else is computed
- `formats`: formats of contests: which games are to be played, and the table of a stage
- `hosts`: hosts of games: this server, a local worker process, and the workers of a cluster
- `interventions`: what the organiser has changed in a contest after it was opened, and who is out, or in again, by it
- `programs`: programs of entrants: their sandbox, their limits, and their processor cores
- `report`: reports of contests, for people and for programs
- `runtime`: contests while they are played
- `scoring`: scoring: results, ratings, and who is disqualified
- `store`: the database of contests, and its verification against the records
"""

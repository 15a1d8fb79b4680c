"""The ladder: bots that play each other all the time, and their ratings.

- `agreement`: ratings that are most likely after all games, and how far the others agree with them (pure)
- `definition`: the ladder file
- `fitting`: the fit of all games, made every night
- `hosts`: where games are played: cores that no contest wants, and workers of a cluster
- `pairing`: which games are played next, and that each choice is kept
- `players`: players, games, ratings: plain data
- `rating`: ratings game by game, with uncertainty (pure)
- `roster`: who plays: levels and programs of the file, and active versions of bots (pure)
- `runner`: begins games, counts them, and lets who fails rest
- `service`: all of it as a service of the server
- `store`: the ladder in the database of the league: a game is counted once, with all that follows from it
"""

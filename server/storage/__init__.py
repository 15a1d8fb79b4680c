"""Records on disk: one file a match, synced in groups.

- `disk`: what the records ask of the operating system, in one place: tests put a disk here that fails, or loses its
  power
- `match_numbers`: the numbers of matches: each is given once, also when a power cut takes away all that the last
  matches have written
- `record_store`: the records on disk: one file a match, written while it is played
- `unsynced`: what of the records a power cut would take away, and how it gets to the disk: for all matches together,
  in rounds
"""

"""Records on disk: one file a match, synced in groups; and logs beside them, for the authors of players.

- `backup`: backups of a data directory, also while a server uses it, and data directories from backups
- `bounded_log`: a log of bounded size: it keeps the beginning and the end of what a program says, each line with its
  move
- `database`: databases of SQLite in the data directory: opened, migrated to this version of their schema, and copied
- `data_lock`: the lock of a data directory: one server uses it at a time
- `disk`: the file operations that records need; tests replace them by a disk that fails or loses power
- `match_numbers`: allocation of match numbers: each is used once, even after a power cut
- `player_logs`: logs of players beside the records: what a program has written on stderr, and who may read it
- `record_store`: the record store: one file a match, written while it is played
- `unsynced`: the set of unsynced records, and sync rounds that bring all of them to the disk together
"""

"""Replays: finished matches, analysed in processes of their own.

- `analysis_requests`: questions about records, each answered by a process of its own
  (`server.web.replay.record_analysis`), within bounds
- `evaluations`: what the search thinks of the positions of a match, within a budget of nodes that a long match has to
  share out
- `finished_record`: the record of a match that is over, for whoever asks a page for it
- `log_requests`: the log of a player in a finished match, for a page: shown to who posts a token that fits
- `match_frames`: a match as a page shows it: what is fixed, how it stands, and every position
- `past_results`: the results of earlier servers over the same data directory, read once, when somebody first looks at
  the lobby
- `record_analysis`: what is known of a record, worked out in a process of its own
- `results_process`: the results of the newest records of a data directory
- `reviews`: what was best for each move of a match, and which were mistakes, in parts of bounded cost
"""

"""The spectator: follows a match in a terminal.

- `player_log`: the log of one's own program in a finished match, as the server keeps it
- `rendering`: a watched match drawn for a terminal
- `watch`: the spectator: follows a running match live in a terminal, or line by line where the output is none
- `watched_match`: a match as a spectator sees it: a value that each message of the server makes a new one of
"""

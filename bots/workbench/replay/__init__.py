"""A bot in the turns of a match that was played: what it answers now.

- `answers`: what a bot answers in a turn, and how that compares with the record
- `in_process`: bots of this process, asked for the moves of turns, in a debugger where that is wanted
- `players`: the bot that a command line names, started, and the side whose turns it gets
- `programs`: programs that are asked for the moves of turns: over TCP, or on stdin and stdout
- `python_file`: the bot of a Python file, which runs in this process up to its call of `play`
- `report`: the answers as text and as JSON
- `turns`: the turns of a side in a record, each with all that its player knew then
"""

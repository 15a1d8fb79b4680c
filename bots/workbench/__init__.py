"""Tools for authors of bots that need no server.

- `languages`: the languages of new bots: what is built, how it is started, what belongs to it
- `learning`: environments for programs that learn from play, and bots of what was learned
- `new_bot`: the files of a new bot, made from the examples and from templates
- `play_file`: plays a match with the bot of a Python file, whether it calls `play` or only has a function ``choose``
- `record_source`: the record that a command line names: a file, a number, standard input, or a page of a server
- `replay`: a bot in the turns of a match that was played: what it answers now
- `review`: a review of a match as text and as JSON
- `similarity`: which programs of a class resemble each other
"""

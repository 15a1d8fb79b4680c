"""Tools for authors of bots that need no server.

- `choose_file`: plays with the function ``choose`` of a Python file that does not call `play` itself
- `languages`: the languages of new bots: what is built, how it is started, what belongs to it
- `learning`: environments for programs that learn from play, and bots of what was learned
- `new_bot`: the files of a new bot, made from the examples and from templates
- `record_source`: the record that a command line names: a file, a number, standard input, or a page of a server
- `replay`: a bot in the turns of a match that was played: what it answers now
- `review`: a review of a match as text and as JSON
"""

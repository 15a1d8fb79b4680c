"""What each of the three programs has beside its commands.

- `completion`: ``--install-completion``: a shell that completes the words of a program
- `interrupt`: ctrl-C while a command is being loaded, or is just ending: it ends at once, without a traceback
- `output`: output of a program, whatever encoding its terminal or pipe has: answers, and sentences for people; lines
  that are answered
"""

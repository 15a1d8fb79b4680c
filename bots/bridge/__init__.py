"""Programs on stdin and stdout as bots.

- `bridge`: bridge for programs that speak the lines of the protocol on stdin and stdout
- `process`: a process with its process group, and how it is ended
- `program`: a program behind pipes, with bounded buffers
- `stderr_reader`: reads the stderr of a program: shows it unchanged, and takes the notes in it
"""

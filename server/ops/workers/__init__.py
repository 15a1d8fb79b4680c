"""Work in other processes: what may take long, or is told by strangers, takes neither the event loop nor its lock.

A question is a line ``KIND LENGTH`` and so many bytes, an answer a line ``STATUS LENGTH`` and so many bytes. A process
answers one question at a time, can be told to stop, and ends with its standard input. Nothing is pickled.

- `question_loop`: the side of the process that works: reads questions, and answers them
- `worker_process`: the side of the server: starts a process, asks it, stops it, and ends it
"""

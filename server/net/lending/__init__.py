"""Connections that another process of the server has for a while.

- `loan`: whether a connection is lent, and the way of it
- `process_channel`: messages between two processes, with file descriptors
- `relay`: a connection that cannot be given away itself
- `visitor`: what goes with a connection
"""

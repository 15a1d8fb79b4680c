"""Live pages: what running matches send to browsers.

- `channels`: what browsers listen to: a match, told once for all who watch it, and the lobby
- `event_stream`: what is live, to many browsers at once: server-sent events, encoded once, handed to each without
  waiting
- `frame_cache`: every position of a match that the server plays, encoded once, beside the event loop
"""

"""Live pages: what running matches send to browsers.

- `channels`: the channels that browsers listen to: one for each watched match, and one for the lobby
- `contest_channel`: what a contest on a projector shows, told to its browsers once a second where it has changed
- `event_stream`: server-sent events to many browsers: each event is encoded once, and sent to all without waiting
- `frame_cache`: every position of a match that the server plays, encoded once, beside the event loop
"""

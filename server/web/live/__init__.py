"""Live pages: what running matches send to browsers.

- `channels`: the channels that browsers listen to: one for each watched match, and one for the lobby
- `contest_channel`: what a contest on a projector shows, told to its browsers once a second where it has changed
- `endpoint`: the endpoint of live events: server-sent, or over WebSocket
- `event_stream`: events to many browsers, server-sent or over WebSocket: each is encoded once, and sent to all without
  waiting
- `running_evaluations`: what the engine thinks of running games that a page shows, found in idle time
- `frame_cache`: every position of a match that the server plays, encoded once, beside the event loop
"""

"""The pages: watching, replaying and playing in the browser.

- `layouts`, `views`, `stories`, `overview`: pure: boards, positions, matches and the lobby as data that a page draws
- `listener`, `crowd`: connections of browsers, by HTTP, and how many there may be
- `feed`, `hubs`: what is live, told to many browsers at once
- `films`, `judging`: the positions of a match and their values, made beside the event loop
- `records`, `telling`: what is known of a record, worked out by processes (`processes`), in `turns` of who asks
- `earlier`, `results`: the results of earlier servers, read off their records
- `contests`: contests, from their reports
- `play`, `play_table`, `play_worker`, `play_workers`: playing, by processes that know the rules
- `app`, `guard`, `documents`, `static_files`, `errors`: requests and answers
- `bodies`, `numbers`: what browsers send, within bounds
- `opening`, `service`: all of it, beside the other services of the server
- `pages`, `static`: what browsers get; docs/web.md tells how pages and server talk
"""

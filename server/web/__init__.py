"""The pages: watching, replaying and playing in the browser; docs/web.md tells how pages and server talk.

- `api`: the interface for other programs: what they may ask, its description, and the page that lists it
- `app`: the routes of the pages and of their data, as one ASGI application
- `assets`: what browsers are sent as it is: pages, scripts and styles, read once
- `atlas`: the atlas of solved variants
- `http`: HTTP: connections, request bodies, errors, and quotas of clients
- `live`: live pages: what running matches send to browsers
- `opening`: begins to serve pages, whose modules are loaded only where somebody wants them
- `people`: games that were played, and their index
- `play`: playing in the browser
- `replay`: replays: finished matches, analysed in processes of their own
- `service`: the pages as a service beside the others: listens, serves browsers, and stops with the server
- `views`: what pages show, as plain data
"""

"""The pages: watching, replaying and playing in the browser; docs/web.md tells how pages and server talk.

- `app`: the routes of the pages and of their data, as one ASGI application
- `documents`: the pages as HTML documents: what each has of its own, ``pages/NAME.html``, in the frame that all of
  them share
- `http`: HTTP: connections, request bodies, errors, and quotas of clients
- `live`: live pages: what running matches send to browsers
- `opening`: begins to serve pages, whose modules are loaded only where somebody wants them
- `play`: playing in the browser
- `replay`: replays: finished matches, analysed in processes of their own
- `service`: the pages as a service beside the others: listens, serves browsers, and stops with the server
- `static_files`: the files of the pages: read once, served from memory
- `views`: what pages show, as plain data
"""

"""HTTP: connections, request bodies, errors, and quotas of clients.

- `answers`: answers in JSON
- `client_quota`: how many connections, and requests a second, the browsers of one address may have
- `errors`: errors that a browser is sent in place of an answer
- `listener`: HTTP connections: hypercorn's protocol on streams whose every send has a deadline, in bounded numbers
- `metrics`: the figures of the server for Prometheus
- `metrics_endpoint`: ``/metrics`` for Prometheus, and ``/health``, for programs that watch over the server
- `numbers`: numbers in paths and queries: those that a match or a contest can have, so that none is too long for a file
- `request_body`: the body of a request, within bounds, and the end of its connection
- `response_guard`: security headers of every answer, and limits of every request
- `web_socket`: the handshake of WebSockets, after which their connections are taken from the HTTP library
- `work_queue`: a queue of long tasks that is fair between clients: some run at a time, and one place is always left for
  others
"""

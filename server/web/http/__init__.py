"""HTTP: connections, request bodies, errors, and quotas of clients.

- `client_quota`: how many connections, and requests a second, the browsers of one address may have
- `errors`: what a browser is told instead of an answer
- `listener`: HTTP connections: hypercorn's protocol on streams whose every send has a deadline, in bounded numbers
- `metrics`: the figures of the server for Prometheus
- `metrics_endpoint`: what the server shows of itself to programs that watch over it: ``/metrics`` for Prometheus, and
  ``/health``
- `path_numbers`: numbers in paths: those that a match or a contest can have, and no others, so that none is too long
  for a file
- `request_body`: the body of a request, within bounds, and the end of its connection
- `response_guard`: around every answer: headers that keep a page to itself, and bounds of what is asked
"""

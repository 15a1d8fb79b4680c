"""The programming interface for others: version 1 of what programs may ask over HTTP; docs/api.md has examples.

- `openapi`: the description of the interface as an OpenAPI document, from the types of the answers
- `operations`: what can be asked, and what the answers are made of
- `pictures`: pictures of matches, and the cards that other sites show with a link
- `records`: finished matches as JSON, from their records
- `reference`: the page that lists all requests
- `routes`: the routes below ``/api/v1``, and those of the description
- `sharing`: what other sites may show of a match: a frame with its board, and the oEmbed answer
"""

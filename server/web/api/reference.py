"""The page that lists all requests that programs may make. Pure."""

from collections.abc import Iterable
from html import escape

from server.web.api.operations import BASE, Operation
from server.web.assets.documents import Document, whole

INTRODUCTION = """<main id="main">
  <div class="title"><h1>Programming interface</h1></div>
  <p>Programs may ask this server what its pages show. No token is needed. Requests of one address are limited together
    with those of its browsers. A refused request gets a status of HTTP and <code>{"error": "one sentence"}</code>.</p>
  <p><a class="button" href="/api/openapi.json">OpenAPI document</a></p>
"""

REQUEST = """  <section class="card notice">
    <h2><code>{method} {path}</code></h2>
    <p>{summary}.</p>
{query}    <p class="quiet small">Answer: {media_type}</p>
  </section>
"""


def page(operations: Iterable[Operation]) -> str:
    """Return the page as a whole HTML document."""
    requests = (
        REQUEST.format(
            method=operation.method,
            path=escape(BASE + operation.path),
            summary=escape(operation.summary),
            query=_query(operation),
            media_type=escape(operation.media_type),
        )
        for operation in operations
    )
    return whole(Document("", "API"), INTRODUCTION + "".join(requests) + "</main>\n")


def _query(operation: Operation) -> str:
    if not operation.query:
        return ""
    items = "".join(f"<li><code>{escape(name)}</code>: {escape(text)}</li>" for name, text in operation.query)
    return f"    <ul>{items}</ul>\n"

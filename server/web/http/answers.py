"""Answers in JSON."""

from starlette.responses import Response

JSON = "application/json"


def json_answer(data: bytes, status: int = 200) -> Response:
    """Return an answer whose JSON nobody keeps: it may be another one the next time."""
    return Response(data, status, media_type=JSON, headers={"cache-control": "no-store"})

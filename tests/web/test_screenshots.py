"""The pictures that people look at: all pages are among them."""

from urllib.parse import urlsplit

from starlette.routing import compile_path

from server.web.http import request  # noqa: F401 (paths of pages have numbers)
from tests.web.screenshots import PLACES, all_shots

PAGES = (
    "/",
    "/match/{number:number}",
    "/replay",
    "/play",
    "/analysis",
    "/contests",
    "/contest/{number:number}",
    "/contest/{number:number}/games",
    "/contest/{number:number}/live",
    "/player/{name:path}",
    "/games",
)
"""Paths of pages that everybody can see."""


def test_each_page_has_a_picture_in_every_way_it_comes() -> None:
    shots = list(all_shots())
    paths = [urlsplit(shot.path).path.format_map(Any()) for shot in shots]
    assert [page for page in PAGES if not any(compile_path(page)[0].match(path) for path in paths)] == []
    assert len({shot.name for shot in shots}) == len(shots)
    assert {shot.place for shot in shots} == set(PLACES)


class Any(dict[str, str]):
    """What stands in braces in paths, whatever its name is."""

    def __missing__(self, key: str) -> str:
        return "1"

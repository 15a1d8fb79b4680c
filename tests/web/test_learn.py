"""The page for visitors: the animated move, the rules from the document, and the lines of a first bot."""

import ast
import re
from importlib.resources import files

import pytest
from playwright.sync_api import expect

from engine.games.catalogue import GAMES
from server.web.views.board import motion
from server.web.views.learn import rules
from tests.web.chromium import Visit
from tests.web.site import Site


def test_each_game_has_its_rules_and_pictures_and_no_link_is_dead() -> None:
    found = {game.game: game for game in rules()}
    assert list(found) == list(GAMES)
    assert "alternate corners" in found["gipf"].play and "DO_MOVE" not in found["gipf"].play
    assert "DO_MOVE" in found["gipf"].details and "Phase II" in found["morris"].play
    whole = "".join(game.play + game.details for game in found.values())
    assert whole.count('<svg class="picture"') == 9 and "<img" not in whole
    anchors = set(re.findall(' id="([^"]+)"', whole))
    assert set(re.findall('href="#([^"]+)"', whole)) <= anchors
    assert not re.findall('"#[0-9a-f]{6}"', whole), "a picture has a colour that does not follow the page"


POSITION = "4 4 15 15\n9 10 W\nW _ _ B\n_ _ B _ _\n_ _ _ _ W _\nW W W B _ _ _\n_ B _ _ _ _\n_ _ _ _ _\nB _ _ W\n"


def test_the_example_moves_what_the_rules_move() -> None:
    made = motion(GAMES["gipf"].read(POSITION), "a1-b2")
    assert len(made.slides) == 4 and len(made.taken) == 5 and len(made.returned) == 4
    moving = (files("server.web") / "assets/pages/example/moving.svg").read_text(encoding="utf-8")
    assert moving.count("<animateTransform ") == len(made.slides) + 1
    assert moving.count('values="1;1;0;0"') == len(made.taken)


@pytest.mark.slow
def test_a_visitor_learns_and_goes_on(visit: Visit) -> None:
    page = visit("/learn#morris")
    expect(page.locator("#morris h2")).to_be_in_viewport()
    expect(page.locator("#moving")).to_be_visible()
    page.emulate_media(reduced_motion="reduce")
    expect(page.locator("#moving")).to_be_hidden()
    expect(page.locator(".steps svg")).to_have_count(3)
    link = page.locator("#morris").get_by_role("link", name="Play Nine")
    expect(link).to_have_attribute("href", "/play#game=morris")


def test_the_first_bot_has_the_address_of_this_server(site: Site) -> None:
    page = site.ask("/learn").body.decode()
    lines = re.search("<pre[^>]*>(from random .*?)</pre>", page, re.DOTALL)
    assert lines is not None and len(lines[1].splitlines()) == 5
    call = ast.parse(lines[1].replace("&#34;", '"')).body[-1]
    assert f"host='127.0.0.1', port={site.port}" in ast.unparse(call)

"""The opening explorer, without a server and in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from server.web.people import database
from server.web.people.explorer import Explored, explore
from server.web.people.indexing import bring_up
from server.web.people.search import BadQuery
from tests.web.chromium import check_accessibility, fits, open_page
from tests.web.people.records import record, write
from tests.web.people.test_games_index import settle
from tests.web.site import Site, open_site


def fill(data: Path) -> None:
    write(data, 1, record(1))  # ann wins: a1 b1 a2 b2 a3
    write(data, 2, record(2, moves=("a2", "b1", "a1", "b2", "a3")))
    write(data, 3, record(3, ("Bob", "ann"), ("a1", "b1")))  # who begins gives up
    write(data, 4, record(4, moves=("a1",), parameters="4 4 4"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    fill(tmp_path)
    settle(tmp_path)
    with database.opened(tmp_path) as connection:
        assert bring_up(connection, tmp_path, 1000).complete
    return tmp_path


def explored(data: Path, moves: str = "", **asked: str) -> Explored:
    with database.opened(data) as connection:
        return explore(data, connection, {"game": "mnk", "variant": "3 3 3", "moves": moves, **asked})


def test_moves_of_a_position_are_told_with_how_they_went_for_who_made_them(data: Path) -> None:
    start = explored(data)
    assert [(one.move, one.games, one.won, one.drawn, one.lost) for one in start.moves] == [
        ("a1", 2, 1, 0, 1),
        ("a2", 1, 1, 0, 0),
    ]
    assert [game.match for game in start.games] == [3, 2, 1]
    (reply,) = explored(data, "a1").moves
    assert (reply.move, reply.games, reply.won, reply.lost) == ("b1", 2, 1, 1)


def test_positions_are_the_same_by_whatever_moves_they_came_about(data: Path) -> None:
    (only,) = explored(data, "a1,b1,a2").moves
    assert (only.move, only.games, only.won) == ("b2", 2, 0)
    assert [game.match for game in explored(data, "a2,b1,a1").games] == [2, 1]


def test_the_rating_is_the_average_of_who_made_the_move(data: Path) -> None:
    ann_alone = explored(data).moves[1].rating
    both = explored(data).moves[0].rating
    assert ann_alone is not None and both is not None
    assert ann_alone > both
    assert abs(both) < 1e-6  # of two players, whose average is 0


def test_a_variant_and_a_position_as_text_are_asked_for(data: Path) -> None:
    assert [one.games for one in explored(data, variant="4 4 4").moves] == [1]
    assert explored(data, "c3").moves == ()


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"moves": "a9"}, "a9"),
        ({"moves": ",".join(["a1"] * 25)}, "these are 25 moves, and positions are known after 24 at most"),
        ({"variant": "x"}, "x"),
    ],
)
def test_what_is_no_position_is_refused(data: Path, asked: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadQuery, match=sentence):
        explored(data, **asked)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    data = tmp_path_factory.mktemp("explored")
    fill(data)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("NUMBA_DISABLE_JIT", "1")
        with open_site(data) as site:
            yield site


@pytest.mark.slow
@pytest.mark.parametrize("phone", [False, True])
def test_openings_are_walked_by_the_list_and_on_the_board(browser: Browser, played: Site, phone: bool) -> None:
    with open_page(browser, phone=phone, dark=phone, still=True) as page:
        page.goto(f"{played.url}/explorer?game=mnk&variant=3+3+3")
        rows = page.locator("#moves tr")
        expect(rows).to_have_count(2)
        expect(page.locator("#behind")).to_be_hidden()
        assert fits(page)
        check_accessibility(page)
        page.get_by_role("button", name="a1", exact=True).click()
        expect(page.locator("#walked")).to_have_text("1. a1")
        expect(rows).to_have_count(1)
        page.locator("#board .offer[aria-label*=b1]").first.click()
        expect(page.locator("#walked")).to_have_text("1. a1  2. b1")
        expect(page.locator("#games tr")).to_have_count(1)
        page.go_back()
        expect(page.locator("#walked")).to_have_text("1. a1")
        page.get_by_role("button", name="First position").click()
        expect(rows).to_have_count(2)

"""The reference bot and its opening book: when it plays by it, what it says of that, and how it does without."""

import sys
from pathlib import Path
from subprocess import run

import pytest

from bots import alphabeta_bot
from bots.alphabeta_bot import AlphaBetaBot
from bots.bot import Clocks, Said
from engine.duel.book.book import FOLDER, Book, book_for, opened
from engine.duel.book.book_file import OFF, SHIPPED
from engine.games.catalogue import start_of
from engine.games.history import History
from engine.levels import LEVELS, MAX_LEVEL
from engine.search.game_engine import GameEngine
from engine.search.searcher import Stop
from engine.wire.messages import Match
from tests.bots.test_alphabeta_bot import Recorded

USUAL = "4 4 15 15"
FILE = FOLDER / "gipf_4_4_15_15.book"
CLOCKS = Clocks(60_000, 60_000, 0)


@pytest.fixture(autouse=True)
def searches(monkeypatch: pytest.MonkeyPatch) -> type[Recorded]:
    monkeypatch.setattr(Recorded, "asked", [], raising=False)
    monkeypatch.setattr(Recorded, "waits", [], raising=False)
    monkeypatch.setattr(alphabeta_bot, "AdaptiveSearcher", Recorded)
    return Recorded


class StopAfter(Stop):
    """Ends an interpreted search after so many nodes."""

    def __init__(self, nodes: int) -> None:
        super().__init__()
        self.left = nodes

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


def shipped() -> Book:
    found = book_for(start_of("gipf", USUAL), SHIPPED)
    assert found is not None
    return found


def choose(bot: AlphaBetaBot, history: History, clocks: Clocks = CLOCKS) -> tuple[str, list[Said]]:
    """Return the bot's move, and its notes."""
    notes: list[Said] = []
    bot.noting = lambda **said: notes.append(said)
    bot.history = history
    return str(bot.choose(history.position, clocks)), notes


def begun(parameters: str = USUAL) -> History:
    return History.begin(start_of("gipf", parameters))


def test_it_plays_the_best_move_of_the_book_and_searches_nothing(searches: type[Recorded]) -> None:
    history = begun()
    bot = AlphaBetaBot()
    plies = 0
    while best := shipped().results(history.position, 1):
        move, notes = choose(bot, history)
        assert move == best[0].move
        # what was searched when the book was made was not searched now
        (note,) = notes
        assert (note["score"], note["pv"], note["text"]) == (best[0].score, [move], "book")
        assert note["depth"] is None and note["nodes"] is None
        history = history.after(move)
        plies += 1
    assert plies > 2 and searches.asked == []
    move, notes = choose(bot, history)
    assert len(searches.asked) == 1 and "book" not in str(notes)


def test_it_can_be_switched_off(searches: type[Recorded]) -> None:
    _, notes = choose(AlphaBetaBot(book=OFF), begun())
    assert len(searches.asked) == 1 and "book" not in str(notes)


@pytest.mark.parametrize("level", range(1, MAX_LEVEL))
def test_levels_below_the_highest_have_no_book_even_when_one_is_named(searches: type[Recorded], level: int) -> None:
    for book in (SHIPPED, str(FILE), OFF):
        choose(AlphaBetaBot(level=level, book=book), begun())
    assert len(LEVELS) == MAX_LEVEL - 1
    assert [limits.level for _, limits in searches.asked] == [level] * 3


def test_another_variant_is_searched(searches: type[Recorded]) -> None:
    for parameters in ("3 3 9 9", "4 4 15 14", "5 4 20 20"):
        choose(AlphaBetaBot(), begun(parameters))
    choose(AlphaBetaBot(book=str(FILE)), begun("3 3 9 9"))
    assert len(searches.asked) == 4


def test_the_book_of_a_variant_is_found_again_after_another_one(searches: type[Recorded]) -> None:
    bot = AlphaBetaBot()
    for parameters in (USUAL, "3 3 9 9", USUAL):
        choose(bot, begun(parameters))
    assert len(searches.asked) == 1


def test_a_position_that_stands_on_the_board_again_is_searched(searches: type[Recorded]) -> None:
    bot = AlphaBetaBot()
    history = begun()
    # no game comes back to its start: the positions before it are as if it had
    choose(bot, history)
    assert searches.asked == []
    again = history.after(shipped().results(history.position, 1)[0].move)._replace(position=history.position)
    choose(bot, again)
    assert len(searches.asked) == 1


def test_with_hardly_any_time_it_is_not_asked(searches: type[Recorded]) -> None:
    _, notes = choose(AlphaBetaBot(max_ms=4), begun())
    assert len(searches.asked) == 1 and "book" not in str(notes)


def test_a_margin_plays_other_moves_by_the_number_of_the_match() -> None:
    known = shipped().moves(begun().position)
    margin = known[0].score - known[12].score
    assert margin > 0

    def played(match: int, margin: int) -> str:
        bot = AlphaBetaBot(book_margin=margin)
        bot.history = begun()
        bot.prepare(Match(match, "gipf", "4,4,15,15", "white", "ann", 60_000, 0, 1000, "token"))
        return choose(bot, begun())[0]

    assert len({played(match, 0) for match in range(12)}) == 1
    assert len({played(match, margin) for match in range(12)}) > 2
    assert played(5, margin) == played(5, margin)


def test_a_damaged_book_is_told_once_and_played_without(
    searches: type[Recorded], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "damaged.book"
    content = bytearray(FILE.read_bytes())
    content[200] ^= 1
    damaged.write_bytes(content)
    bot = AlphaBetaBot(book=str(damaged))
    for _ in range(3):
        choose(bot, begun())
    assert len(searches.asked) == 3
    assert capsys.readouterr().err.splitlines() == [
        f"{damaged}: this opening book is damaged: its checksum is wrong; playing without an opening book"
    ]


@pytest.mark.parametrize(("book", "sentence"), [("/nowhere", "/nowhere: No such file"), (__file__, "no opening book")])
def test_a_file_that_is_no_book_ends_the_command_before_it_connects(book: str, sentence: str) -> None:
    command = [sys.executable, "-P", "-m", "bots", "alphabeta", "--book", book, "--port", "1"]
    done = run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and sentence in done.stderr and "--book: " in done.stderr


def test_people_who_play_at_a_screen_or_a_page_see_what_was_searched() -> None:
    """`arena-bot play` and the pages think by a `GameEngine`, which has no book."""
    stop = StopAfter(500)
    found = GameEngine().think(begun(), 60, clock=lambda: 0.0, stop=stop)
    assert not found.is_book and found.nodes > 0 and found.depth > 0


def test_a_named_file_is_played_by(searches: type[Recorded]) -> None:
    move, _ = choose(AlphaBetaBot(book=str(FILE)), begun())
    best = opened(FILE).choose(begun().position)
    assert best is not None and move == best.move
    assert searches.asked == []

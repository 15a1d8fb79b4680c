"""Looking positions up: images of positions, what is not in a book, repetitions, files that are none."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from engine.duel.book.book import FOLDER, SHIPPED_FILES, Book, book_for, opened
from engine.duel.book.book_file import OFF, SHIPPED, BadBook
from engine.duel.book.checking import faults
from engine.duel.book.symmetry import standing
from engine.games.catalogue import GAMES, start_of
from engine.games.gipf.kernel import bind
from engine.games.gipf.position import GipfPosition
from engine.games.interface import Position, moves
from engine.search.searcher import key_of
from tests.engine.duel.book.samples import book_of
from tests.engine.gipf.test_symmetry import images

LARGEST = 300_000
"""Bytes that the book of this distribution may take."""


def shipped() -> Book:
    book = book_for(start_of("gipf", "4 4 15 15"), SHIPPED)
    assert book is not None
    return book


def positions_of(book: Book, count: int) -> list[Position]:
    """Return positions of a book, breadth first."""
    found = [book.start]
    keys = {book.start.key}
    for position in found:
        for _, after in position.successors():
            if len(found) < count and after.key not in keys and book.entry(after) is not None:
                found.append(after)
                keys.add(after.key)
    return found


def test_all_images_of_a_position_have_the_move_that_is_the_image_of_its_move() -> None:
    book = shipped()
    rules = bind(4, 4)
    twelve = 0
    for position in positions_of(book, 40)[::4]:
        assert isinstance(position, GipfPosition)
        chosen = book.choose(position)
        assert chosen is not None
        after = position.resolve(chosen.move).position
        led_to = standing(rules, after.kernel(compile=False).state)
        all_images = images(position.state, rules)[:-1]
        twelve += len(set(all_images)) == 12
        for state in all_images:
            image = GipfPosition(position.variant, state)
            found = book.choose(image)
            assert found is not None and found.score == chosen.score
            assert found.move in moves(image)
            reached = image.resolve(found.move).position.kernel(compile=False).state
            assert standing(rules, reached) == led_to
    assert twelve >= 3


@pytest.mark.parametrize("parameters", ["4 4 15 14", "4 4 16 15", "3 3 12 12", "5 4 20 20"])
def test_other_variants_have_nothing_of_it(parameters: str) -> None:
    book = shipped()
    position = start_of("gipf", parameters)
    assert book.choose(position) is None and book.entry(position) is None and book.moves(position) == []
    assert book_for(position, SHIPPED) is None
    assert book_for(position, str(FOLDER / "gipf_4_4_15_15.book")) is None


def test_a_position_that_it_does_not_have_gives_nothing() -> None:
    book = shipped()
    position = book.start
    for _ in range(30):
        position = next(position.successors()).position
    assert book.entry(position) is None
    assert book.choose(position) is None and book.moves(position) == [] and book.results(position, 5) == []


def test_it_says_that_nothing_was_searched() -> None:
    book = shipped()
    first = book.choose(book.start)
    assert first is not None and first.is_book and not first.is_known
    assert (first.depth, first.nodes) == (0, 0)
    assert first.score == book.moves(book.start)[0].score == book.entries[min(
        book.entries, key=lambda key: book.entries[key].ply)].score  # fmt: skip
    assert [result.rank for result in book.results(book.start, 3)] == [1, 2, 3]


def test_best_moves_come_first_and_agree_with_the_score_of_the_position() -> None:
    for position in positions_of(shipped(), 30):
        known = shipped().moves(position)
        entry = shipped().entry(position)
        assert entry is not None
        assert [move.score for move in known] == sorted((move.score for move in known), reverse=True)
        assert known[0].score == entry.score
        assert (known[0].line + known[0].is_within, known[0].depth) == (entry.line, entry.depth)


def test_to_a_position_that_comes_again_it_says_nothing() -> None:
    book = shipped()
    assert book.choose(book.start, [key_of(book.start)]) is None
    assert book.choose(book.start, [1, 2, 3]) is not None


def test_it_does_not_lead_back_to_a_position_that_stood_on_the_board() -> None:
    book = shipped()
    earlier: list[int] = []
    played = []
    while (found := book.choose(book.start, earlier)) is not None:
        played.append(found.move)
        earlier.append(key_of(book.start.resolve(found.move).position))
    assert played[0] == book.results(book.start, 1)[0].move
    # the search takes over when every move of the book is barred, and none was named twice
    assert len(set(played)) == len(played) == 3


def test_moves_that_are_nearly_as_good_are_played_only_within_a_margin() -> None:
    book = shipped()
    known = book.moves(book.start)
    bound = known[0].score - known[8].score

    def played(margin: int) -> set[int]:
        found = [book.choose(book.start, margin=margin, seed=seed) for seed in range(60)]
        return {result.line[0] for result in found if result is not None}

    assert played(0) == {known[0].number}
    assert played(bound) == {move.number for move in known if move.score >= known[8].score}
    again = [book.choose(book.start, margin=bound, seed=7) for _ in range(3)]
    assert again[0] is not None and again[0] == again[1] == again[2]


@pytest.mark.slow("interpreted")
def test_the_book_of_this_distribution_is_true() -> None:
    for (game, parameters), name in SHIPPED_FILES.items():
        book = book_for(start_of(game, parameters), SHIPPED)
        assert book is not None and (FOLDER / name).stat().st_size < LARGEST
        assert list(faults(book)) == []
        assert len(book.entries) > 50


def test_numba_is_not_loaded_to_look_a_position_up() -> None:
    script = (
        "import sys\n"
        "from engine.duel.book.book import book_for\n"
        "from engine.games.catalogue import start_of\n"
        "start = start_of('gipf', '4 4 15 15')\n"
        "print(book_for(start, 'shipped').choose(start).move)\n"
        "sys.exit('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() in moves(start_of("gipf", "4 4 15 15"))


def test_it_is_opened_once() -> None:
    assert shipped() is shipped()
    assert book_for(start_of("gipf", "4 4 15 15"), OFF) is None


def resealed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


def test_files_that_are_no_books_are_refused_in_one_sentence(tmp_path: Path) -> None:
    whole = (FOLDER / "gipf_4_4_15_15.book").read_bytes()
    body = whole[:-32]
    head = body.index(b"\n", 11) + 1
    faulty = {
        "no opening book": [b"", b"PNG", whole[1:]],
        "checksum is wrong": [whole[:-1], whole[:500], body, whole[:700] + b"\0\0\0" + whole[703:], whole + b"x"],
        "within a record": [resealed(body[:-3])],
        "the format of": [resealed(body.replace(b'"format":1', b'"format":9', 1))],
        "what it was made with": [resealed(body.replace(b'"seed"', b'"reed"', 1)), resealed(b"arena-book\n{\n")],
        "not known here": [
            resealed(body.replace(b'"gipf"', b'"chess"', 1)),
            resealed(body.replace(b"4 4 15", b"0 4 15", 1)),
        ],
        "another version": [resealed(body[:head])],
    }
    for sentence, contents in faulty.items():
        for content in contents:
            file = tmp_path / "other.book"
            file.write_bytes(content)
            with pytest.raises(BadBook, match=sentence) as raised:
                opened(file)
            assert str(raised.value).startswith(f"{file}: ") and "\n" not in str(raised.value)
    with pytest.raises(BadBook, match="No such file"):
        opened(tmp_path / "missing.book")


@pytest.mark.slow("interpreted")
def test_books_of_other_games_are_looked_up_too() -> None:
    for game, parameters in (("mnk", "4 4 4"), ("morris", ""), ("gipf", "3 3 7 7")):
        book = book_of(game, parameters, 20)
        start = GAMES[game].start(parameters or GAMES[game].default_parameters)
        found = book.choose(start)
        assert found is not None and found.move in moves(start)

"""``arena-bot similar``: which programs of a class resemble each other."""

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bots.commands.similar import similar
from bots.workbench.new_bot import new_bot
from bots.workbench.similarity import comparison
from bots.workbench.similarity.comparison import MAX_PLACES, fingerprint, handed_out, most_similar
from bots.workbench.similarity.fingerprints import RUN, WINDOW, run_hashes, winnow
from bots.workbench.similarity.report import NOTE
from bots.workbench.similarity.source_files import MAX_FILE_BYTES, NoPrograms, read_programs
from bots.workbench.similarity.tokens import MAX_SECONDS, ReadsTooLong, Tokens, tokenize

COUNTING = '''
def count_lines(board, size):
    """How many lines of three each side has."""
    found = {"white": 0, "black": 0}
    for row in range(size):
        for column in range(size - 2):
            first = board[row][column]
            if first != "." and first == board[row][column + 1] == board[row][column + 2]:
                found["white" if first == "w" else "black"] += 1
    return found
'''
SEARCH = """
def search(position, depth, alpha, beta):
    # the side to move wants as much as it can get
    if depth == 0 or position.is_over():
        return evaluate(position)
    best = -1000000
    for move in position.legal_moves():
        value = -search(position.after(move), depth - 1, -beta, -alpha)
        if value > best:
            best = value
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return best
"""
ANN = COUNTING + SEARCH
OTHER = """
def choose_by_playouts(position, random, count):
    totals = {}
    while count > 0:
        count -= 1
        move = random.choice(position.legal_moves())
        reached = position.after(move)
        while not reached.is_over():
            reached = reached.after(random.choice(reached.legal_moves()))
        wins, games = totals.get(move, (0, 0))
        totals[move] = (wins + (reached.winner() == position.to_move), games + 1)
    return max(totals, key=lambda move: totals[move][0] / totals[move][1])
"""
RENAMED = {
    "board": "grid", "size": "n", "found": "result", "row": "y", "column": "x", "first": "piece", "search": "negamax",
    "position": "state", "depth": "plies", "alpha": "low", "beta": "high", "best": "top", "value": "score",
    "count_lines": "triples", "evaluate": "judge", "move": "m",
}  # fmt: skip


def copied() -> str:
    """Ann's program with other names, numbers and texts, without comments, and its functions the other way round."""
    text = SEARCH.replace("    # the side to move wants as much as it can get\n", "").replace("1000000", "10**9 * 1")
    text += COUNTING.replace('    """How many lines of three each side has."""\n', "\n").replace("white", "W")
    return re.sub(r"[a-z_]+", lambda word: RENAMED.get(word[0], word[0]), text)


def template() -> str:
    return new_bot("bot", "python", "gipf")["bot.py"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A class of three who have begun with the same template; carla has copied ann's program and changed it."""
    programs = {"ann": template() + ANN, "bob": template() + OTHER, "carla": template() + copied()}
    for name, text in programs.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / f"{name}.py").write_text(text)
    return tmp_path / "class"


def listed(folder: Path, **options: Any) -> Any:
    out = folder.parent / "similar.json"
    similar(folder, json=str(out), **options)
    return json.loads(out.read_text())


def test_a_renamed_and_reordered_copy_is_first_and_unrelated_programs_of_one_template_are_low(folder: Path) -> None:
    first, *others = listed(folder)["pairs"]
    assert (first["one"], first["other"]) == ("ann", "carla")
    assert first["part"] > 0.7
    assert all(pair["part"] < 0.1 for pair in others)
    # the functions are found where each program has them
    places = {(passage["one"]["first"] < passage["other"]["first"]) for passage in first["passages"]}
    assert places == {True, False}


def test_without_what_was_handed_out_a_template_would_be_found() -> None:
    files = {name: {"bot.py": template() + own} for name, own in (("ann", ANN), ("bob", OTHER))}
    (pair,) = most_similar([fingerprint(name, files[name], handed_out({})) for name in files], 5)
    assert pair.shared > 5


def test_base_is_left_out_too(folder: Path, tmp_path: Path) -> None:
    lecture = tmp_path / "lecture.py"
    lecture.write_text(ANN)
    # where the template ends, all of them go on with a function
    assert all(pair["shared"] == 1 for pair in listed(folder, base=(lecture,))["pairs"])


def test_winnowing_keeps_one_of_each_window_and_finds_every_long_match() -> None:
    random = np.random.default_rng(7)
    shared = random.integers(0, 9, RUN + WINDOW - 1)
    for _ in range(20):
        one, other = (
            np.concatenate([random.integers(0, 9, 30), shared, random.integers(0, 9, 30)]).astype(np.uint64)
            for _ in range(2)
        )
        found = [winnow(Tokens(codes, np.arange(len(codes), dtype=np.int32))) for codes in (one, other)]
        assert set(found[0].hashes.tolist()) & set(found[1].hashes.tolist())
    hashes = run_hashes(Tokens(one, np.arange(len(one), dtype=np.int32)))
    assert np.diff(found[0].first_lines).max() <= WINDOW and len(found[0].hashes) < len(hashes) / 3


@pytest.mark.parametrize(("length", "kept"), [(0, 0), (RUN - 1, 0), (RUN, 1), (RUN + 3, 1), (RUN + WINDOW, 1)])
def test_short_files(length: int, kept: int) -> None:
    codes = np.arange(length).astype(np.uint64)
    assert len(winnow(Tokens(codes, codes.astype(np.int32))).hashes) >= kept
    assert (length >= RUN) == bool(len(winnow(Tokens(codes, codes.astype(np.int32))).hashes))


def test_names_texts_numbers_comments_and_layout_do_not_count() -> None:
    one = tokenize("a.c", '#include <x.h>\nint f(int a) { /* so */ return a + 12 + g("x"); }')
    other = tokenize("b.cpp", '// no\nint\ncount(int many)\n{\n  return many + 0x7 + other("a \\" b");\n}\n')
    assert one.codes.tolist() == other.codes.tolist()
    assert one.lines.tolist() == [2] * len(one.lines) and other.lines[-1] == 6
    assert tokenize("c.c", "int f(int a) { return a - 12; }").codes.tolist() != one.codes.tolist()


@pytest.mark.slow
def test_a_table_of_numbers_takes_no_time_of_its_square() -> None:
    text = "TABLE = [" + "1, 2, 3,\n" * 3000 + "]\n"
    pair = most_similar([fingerprint(name, {"a.py": text}, handed_out({})) for name in "ab"], 1)[0]
    assert sum(passage.fingerprints for passage in pair.passages) <= MAX_PLACES * pair.shared


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    times = iter((0.0, MAX_SECONDS, MAX_SECONDS + 1))
    with pytest.raises(ReadsTooLong):
        tokenize("a.py", "a = 1", clock=lambda: next(times))

    def slow(path: str, text: str) -> Tokens:
        if path.endswith("bob.py"):
            raise ReadsTooLong
        return tokenize(path, text)

    monkeypatch.setattr(comparison, "tokenize", slow)
    told = listed(folder)
    left_out = {one["name"]: one["left_out"] for one in told["programs"]}
    assert left_out == {"ann": [], "bob": ["bob.py: its tokens are not found in 20 s"], "carla": []}
    assert [(pair["one"], pair["other"]) for pair in told["pairs"]] == [("ann", "carla")]
    with pytest.raises(SystemExit) as leaving:
        similar(folder, base=(folder / "bob",))
    assert leaving.value.code == 2


def test_zip_files_of_zip_files_are_read_and_what_cannot_be_is_said(tmp_path: Path) -> None:
    inner = tmp_path / "ann.zip"
    with zipfile.ZipFile(inner, "w") as file:
        file.writestr("src/bot.py", ANN)
        file.writestr("src/big.py", "#" * (MAX_FILE_BYTES + 1))
        file.writestr("node_modules/x.js", "let a = 1")
        file.writestr("notes.txt", "no program")
    whole = tmp_path / "class.zip"
    with zipfile.ZipFile(whole, "w") as file:
        file.write(inner, "hand-ins/ann.zip")
        file.writestr("hand-ins/bob/bot.py", OTHER)
        file.writestr("hand-ins/carla.zip", b"no zip")
        file.writestr("hand-ins/dora.py", SEARCH)
    found = {program.name: program for program in read_programs([whole])}
    assert {name: list(program.files) for name, program in found.items()} == {
        "ann.zip": ["src/bot.py"], "bob": ["bot.py"], "carla.zip": [], "dora.py": ["dora.py"],
    }  # fmt: skip
    assert found["ann.zip"].left_out == ["src/big.py: too long"]
    assert found["carla.zip"].left_out == ["carla.zip: it cannot be unpacked: File is not a zip file"]


def test_links_out_of_a_folder_are_not_followed(folder: Path) -> None:
    (folder / "bob" / "secret.py").symlink_to(folder / "ann" / "ann.py")
    assert {program.name: list(program.files) for program in read_programs([folder])}["bob"] == ["bob.py"]


def test_of_a_league_the_newest_version_of_each_bot_is_read(tmp_path: Path) -> None:
    for bot, number, text in (("ann-1", 9, OTHER), ("ann-1", 10, ANN), ("bob-1", 1, SEARCH)):
        folder = tmp_path / "submissions" / bot / str(number)
        (folder / "build").mkdir(parents=True)
        (folder / "build" / "bot.py").write_text(text)
        (folder / "upload").write_bytes(b"what was sent")
    (tmp_path / "submissions" / "bob-1" / "2").mkdir()
    (tmp_path / "submissions" / "bob-1" / "2" / "upload").write_bytes(b"not unpacked yet")
    found = read_programs([tmp_path / "submissions"])
    assert {one.name: one.files for one in found} == {"ann-1": {"bot.py": ANN}, "bob-1": {"bot.py": SEARCH}}


def test_several_places_are_a_program_each(folder: Path, tmp_path: Path) -> None:
    assert [one.name for one in read_programs([folder / "bob", folder / "ann" / "ann.py"])] == ["ann.py", "bob"]
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "bob").mkdir()
    with pytest.raises(NoPrograms, match="two of the programs have the same name"):
        read_programs([folder / "bob", tmp_path / "x" / "bob"])


def test_the_table_says_that_it_is_no_verdict_and_the_page_shows_places_side_by_side(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "ann" / "ann.py").write_text(template() + ANN.replace("as it can get", "as <b>it</b> can get"))
    page = folder.parent / "similar.html"
    similar(folder, pairs=1, html=str(page))
    said, empty, head, line = capsys.readouterr().out.splitlines()
    assert said == NOTE and not empty and " ".join(head.split()) == "shared of the smaller programs longest passage"
    assert re.search(r"ann, carla +ann\.py:\d+-\d+ and carla\.py:\d+-\d+$", line)
    text = page.read_text()
    assert NOTE.replace("'", "&#39;") in text and "<script" not in text
    assert "as &lt;b&gt;it&lt;/b&gt; can get" in text and "def negamax(state, plies, low, high):" in text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((), "no program is given: arena-bot similar FOLDER"),
        (("ann",), "there are no two programs with source files"),
        (("notes.txt", "ann"), "notes.txt is no folder, no zip file and no source file"),
        (("nobody.py", "ann"), "the programs cannot be read: "),
    ],
)
def test_what_cannot_be_compared_takes_one_line(
    given: tuple[str, ...],
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    Path("notes.txt").write_text("no program")
    with pytest.raises(SystemExit) as leaving:
        similar(*map(Path, given))
    assert leaving.value.code == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(f"arena-bot: {words}") and shown.err.count("\n") == 1 and not shown.out

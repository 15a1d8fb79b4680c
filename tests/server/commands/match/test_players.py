"""Players as they are written on the command line of a match."""

import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from server.commands.match.setup import MatchPlayer, read_players
from server.contest.programs.program import connects

CHOOSE = "def choose(position, clocks):\n    return position.legal_moves[0]\n"
PLAYS = "from bots.client import play\n\ndef choose(position, clocks):\n    return ''\n\nplay(choose)\n"


def read(text: str, folder: Path) -> MatchPlayer:
    return read_players([text], folder)[0]


@pytest.mark.parametrize(
    ("source", "helped"),
    [
        (CHOOSE, True),
        ("choose = lambda position, clocks: ''\n", True),
        ("from strategies import best as choose\n", True),
        (f"{CHOOSE}\nif __name__ == '__main__':\n    print('a test of my own')\n", True),
        ("from bots.bot import Resigned\n\ndef choose(position, clocks):\n    raise Resigned\n", True),
        ("from bots.client import Resigned\n\ndef choose(position, clocks):\n    raise Resigned\n", True),
        (PLAYS, True),
        ("import bots.client\n\ndef choose(position, clocks): ...\n\nbots.client.play(choose)\n", True),
        ("from bots import client\n\ndef choose(position, clocks): ...\n\nclient.play(choose)\n", True),
        ("from bots.client import play as go\n\ndef choose(p, c): ...\n\ngo(choose)\n", True),
        ("import socket\n\nsocket.create_connection(('localhost', 4000))\n", False),
        ("import sys\n\nfor line in sys.stdin: ...\n", False),
        (f"import socket\n{PLAYS}", True),
        ("print('no function here')\n", False),
        ("def choose_move(line): ...\n\nprint(choose_move(''))\n", False),
        ("def chose(line): ...\n\nwhile True:\n    print(chose(input()))\n", False),
    ],
)
def test_a_python_file_is_helped_to_play_where_it_plays_by_the_library(
    tmp_path: Path, source: str, helped: bool
) -> None:
    (tmp_path / "mybot.py").write_text(source)
    player = read("mybot.py", tmp_path)
    help_ = ("-P", "-m", "bots.workbench.play_file", "{host}", "{port}") if helped else ()
    assert player.command == (sys.executable, *help_, "mybot.py")
    assert player.name == "mybot"


def test_a_python_file_may_have_arguments(tmp_path: Path) -> None:
    (tmp_path / "mybot.py").write_text("import socket\n")
    assert read("mybot.py --depth 3", tmp_path).command == (sys.executable, "mybot.py", "--depth", "3")
    (tmp_path / "mybot.py").write_text(CHOOSE)
    assert read("mybot.py 3", tmp_path).command[-2:] == ("mybot.py", "3")


def test_a_command_is_split_as_a_shell_does_and_named_after_its_file(tmp_path: Path) -> None:
    (tmp_path / "my bot.py").write_text("")
    bot = tmp_path / "bin" / "greedy"
    bot.parent.mkdir()
    bot.write_text("#!/bin/sh\n")
    bot.chmod(0o755)
    for text, name, command in (
        ("python3 'my bot.py' --fast", "my-bot", ("python3", "my bot.py", "--fast")),
        ("bin/greedy --seed 3", "greedy", ("bin/greedy", "--seed", "3")),
        ("ann=bin/greedy {host} {port}", "ann", ("bin/greedy", "{host}", "{port}")),
        ("env -i bin/greedy", "greedy", ("env", "-i", "bin/greedy")),
    ):
        player = read(text, tmp_path)
        assert (player.name, player.command, player.written) == (name, command, text)


def test_the_path_of_a_file_is_not_split(tmp_path: Path) -> None:
    folder = tmp_path / "my bots"
    folder.mkdir()
    (folder / "fast.py").write_text(CHOOSE)
    (folder / "a=b.py").write_text(CHOOSE)
    (folder / "slow bot").write_text("#!/bin/sh\n")
    (folder / "slow bot").chmod(0o755)
    for text, name, file in (
        ("my bots/fast.py", "fast", "my bots/fast.py"),
        ("ann=my bots/fast.py", "ann", "my bots/fast.py"),
        ("my bots/a=b.py", "a-b", "my bots/a=b.py"),
        ("my bots/slow bot", "slow-bot", "my bots/slow bot"),
    ):
        player = read(text, tmp_path)
        assert (player.name, player.command[-1]) == (name, file)


def test_built_in_bots_are_named_as_everywhere(tmp_path: Path) -> None:
    player = read("alphabeta:3", tmp_path)
    assert player.name == "alphabeta-3"
    assert player.command[-12:] != player.command and "--level" in player.command and connects(player.command)
    assert read("weak=random", tmp_path).name == "weak"


def test_names_are_told_apart_whatever_their_case(tmp_path: Path) -> None:
    texts = ["random", "random", "Random=random", f"{'x' * 32}=random", f"{'x' * 32}=random"]
    names = [player.name for player in read_players(texts, tmp_path)]
    assert names == ["random", "random.2", "Random.3", "x" * 32, f"{'x' * 30}.2"]


def test_players_have_folders_of_their_own(tmp_path: Path) -> None:
    for name, source in (("old", CHOOSE), ("new", "import socket")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(source)
    folders = [tmp_path / "new", tmp_path / "old"]
    players = read_players(["bot.py", "last=bot.py", "random"], tmp_path, folders)
    assert [(one.name, one.folder) for one in players] == [
        ("bot", str(folders[0])), ("last", str(folders[1])), ("random", ""),
    ]  # fmt: skip
    assert [len(one.command) for one in players[:2]] == [2, 7] and players[0].digest != players[1].digest
    with raises(snapshot("Rejected: there is no file bot.py")):
        read_players(["random", "random.2=random", "bot.py"], tmp_path, folders)


def test_a_changed_player_has_another_digest(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("pass")
    before = read("python3 a.py", tmp_path).digest
    assert before and read("python3 a.py", tmp_path).digest == before
    (tmp_path / "a.py").write_text("pass ")
    assert read("python3 a.py", tmp_path).digest != before
    assert read("random", tmp_path).digest == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", snapshot("Rejected: a player is empty: it is a Python file, a command, or a built-in bot as alphabeta:3")),
        ("python3 'a", snapshot('Rejected: "python3 \'a" is no command: no closing quotation')),
        ("mybto.py", snapshot("Rejected: there is no file mybto.py")),
        ("mybot", snapshot("Rejected: there is no file, no program and no built-in bot mybot")),
        (
            "x y=mein boet.py",
            snapshot(
                "Rejected: there is no file, no program and no built-in bot x; the name of a player has no blanks"
            ),
        ),
        (
            "plain",
            snapshot(
                "Rejected: there is no file, no program and no built-in bot plain; for the file of this folder write ./plain"
            ),
        ),
        ("./plain --x", snapshot("Rejected: ./plain is not executable: chmod +x ./plain makes it so")),
        ("./missing", snapshot("Rejected: there is no file ./missing")),
        ("./folder", snapshot("Rejected: there is no file ./folder")),
        ("broken.py", snapshot("Rejected: broken.py, line 1: this is no Python: invalid syntax")),
        (
            "misspelt.py",
            snapshot(
                "Rejected: misspelt.py neither calls play nor has a function choose(position, clocks); its chose has to be called choose"
            ),
        ),
        (
            "upper.py",
            snapshot(
                "Rejected: upper.py neither calls play nor has a function choose(position, clocks); its Choose has to be called choose"
            ),
        ),
        ("none.py", snapshot("Rejected: none.py neither calls play nor has a function choose(position, clocks)")),
        (
            "alphabeta:11",
            snapshot("Rejected: 'alphabeta:11': the level is '11', but it has to be a whole number from 1 to 10"),
        ),
        ("random:2", snapshot("Rejected: 'random:2': random has no levels; alphabeta has those from 1 to 10")),
        ("random:arrows", snapshot("Rejected: 'random:arrows' names a game; name the game of the match by --game")),
        (
            "-x=random",
            snapshot(
                "Rejected: '-x=random': '-x' is no name of a player: one has 1 to 32 letters, digits, and any of _ . - behind the first"
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_player_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "mybot.py").write_text(CHOOSE)
    (tmp_path / "broken.py").write_text("def choose(position clocks):\n    pass\n")
    (tmp_path / "misspelt.py").write_text(CHOOSE.replace("choose", "chose"))
    (tmp_path / "upper.py").write_text("from bots.client import Bot\n\nclass Choose(Bot): ...\n\nChoose()\n")
    (tmp_path / "none.py").write_text('"""My bot."""\nimport random\n\nSEED = 1\n\ndef search(position): ...\n')
    (tmp_path / "plain").write_text("")
    (tmp_path / "folder").mkdir()
    with raises(sentence):
        read(text, tmp_path)

"""The languages of new bots: what is built, how it is started, what belongs to it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

LEGAL, LEGAL_TEST = "the bot chooses legal moves in the positions of a random game", "python3 test_{source}"
PLAYS = "two of the situations of make check, in seconds"
PLAYS_TEST = 'arena-bot check --game $(GAME) --only "plays the" -- $(call run,.)'


class Language(NamedTuple):
    """How a bot in a language is built, tested and started.

    ``{source}`` stands for the file of its program, and ``{folder}`` in ``run`` for the folder where it was built.
    """

    title: str
    example: str
    """The bot in bots/examples that a new one is a copy of."""
    run: str
    build: str = ""
    """The command that builds it, in its folder; empty where nothing is to be built."""
    built: str = ""
    """What that command makes."""
    products: str = ""
    """All that it leaves behind, as a pattern of make and git."""
    files: Mapping[str, str] = MappingProxyType({})
    """The templates of further files, and their paths in the bot's folder."""
    choose: str = "choose"
    """The function to change first."""
    test: str = PLAYS_TEST
    tested: str = PLAYS


SAID = "{host} {port} {name} {game}"
"""Where to play, as whom and what, as arguments; whatever starts programs fills these in."""

LANGUAGES = {
    "python": Language(
        "Python",
        "python/bot.py",
        "python3 {folder}/{source}",
        products="__pycache__",
        files={"test_bot.py": "test_{source}"},
        test=LEGAL_TEST,
        tested=LEGAL,
    ),
    "c": Language(
        "C", "c/bot.c", f"{{folder}}/bot {SAID}", "cc -Wall -O2 -o bot bot.c", "bot", "bot", choose="choose_move"
    ),
    "cpp": Language(
        "C++",
        "cpp/bot.cpp",
        f"{{folder}}/bot {SAID}",
        "c++ -std=c++17 -Wall -O2 -o bot bot.cpp",
        "bot",
        "bot",
        choose='what follows `kind == "MOVES"`',
    ),
    "java": Language(
        "Java", "java/Bot.java", f"java -cp {{folder}} Bot {SAID}", "javac Bot.java", "Bot.class", "*.class"
    ),
    "javascript": Language(
        "JavaScript", "javascript/bot.js", f"node {{folder}}/bot.js {SAID}", files={"package.json": "package.json"}
    ),
    "rust": Language(
        "Rust",
        "rust/bot.rs",
        f"{{folder}}/target/release/bot {SAID}",
        "cargo build --release --quiet",
        "target/release/bot",
        "target",
        files={"Cargo.toml": "Cargo.toml"},
    ),
    "go": Language(
        "Go", "go/bot.go", f"{{folder}}/bot {SAID}", "go build -o bot .", "bot", "bot", files={"go.mod": "go.mod"}
    ),
}
"""By the words of ``arena-bot new --language``; each has an example in bots/examples."""

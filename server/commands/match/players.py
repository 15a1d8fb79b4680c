"""The players of a match, as they are written on the command line: a Python file, a command, or a built-in bot.

Whether a command connects over TCP or talks on stdin and stdout needs not be said: it is offered both.
"""

import ast
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from engine.commands.usage_errors import explain_fault, nearest
from engine.wire.words import NAME_PATTERN, NAME_RULE
from server.config.builtin_bot import BUILTIN_BOTS, BadBuiltinBot, read_builtin_bot
from server.contest.programs.command import builtin_bot_command

MAX_NAME = 32
"""Characters of a name."""

CHOOSE = "choose"
"""The function by which a Python file chooses moves, where it does not call `play`."""

LIBRARY = "bots.client"
"""The package of the client library."""

NETWORK = ("socket", "asyncio", "trio")
"""Modules with which a Python file may play without the library, beside standard input."""

INTERPRETERS = re.compile(r"(python|pypy|java|node|ruby|perl|lua|sh|bash|env)[0-9.]*")
"""Programs that nobody would call a player after."""

PLAY_FILE = "bots.workbench.play_file"
"""The module that plays with the bot of a Python file; a program of its own, and no part of the server."""


class BadPlayer(ValueError):
    """A text that names no player. ``str(error)`` is a sentence for people."""


class MatchPlayer(NamedTuple):
    """A player of a match."""

    name: str
    command: tuple[str, ...]
    """The program and its arguments."""
    written: str
    """As it stands on the command line."""
    digest: str
    """SHA-256 of the files that the command line names, in hexadecimal; empty where it names none."""
    folder: str = ""
    """Of its own: it is started there, and sees all of it in a sandbox; empty where it has none."""


def read_players(texts: Sequence[str], folder: Path, folders: Sequence[Path] = ()) -> tuple[MatchPlayer, ...]:
    """Read the players of a match; raises `BadPlayer`.

    Their files are relative to a folder, those of the first players to their own ``folders``. Of several players of one
    name the second one gets ``.2`` behind it, and so on.
    """
    found: dict[str, MatchPlayer] = {}
    for text, own in zip_longest(texts, folders):
        player = _read_player(text, folder if own is None else own, confined=own is not None)
        if own is not None:
            player = player._replace(folder=str(own))
        name, number = player.name, 1
        while name.lower() in found:
            number += 1
            name = f"{player.name[: MAX_NAME - 1 - len(str(number))]}.{number}"
        found[name.lower()] = player._replace(name=name)
    return tuple(found.values())


def _read_player(text: str, folder: Path, *, confined: bool) -> MatchPlayer:
    """Read ``NAME=PLAYER``, or a player without a name. Only files in its folder are read where it is confined."""
    name, equals, rest = text.partition("=")
    given = bool(equals) and re.fullmatch(r"[^\s/\"']+", name) is not None
    if given and not re.fullmatch(NAME_PATTERN, name):
        raise BadPlayer(f"{text!r}: {name!r} is no name of a player: one has {NAME_RULE}")
    words = _words(rest if given else text)
    if len(words) == 1 and words[0].partition(":")[0] in BUILTIN_BOTS:
        called, command = _builtin(words[0])
        digest = ""
    else:
        inside = [word for word in words if not confined or _is_inside(word, folder)]
        if words[:1] == inside[:1] or "/" not in words[0]:
            _check_program(words, folder)
        called, digest, command = _name_of(inside or words[:1], folder), _digest(inside, folder), tuple(words)
        if _is_python(words[0]) and words[:1] == inside[:1]:
            tree = _parsed(words[0], folder)
            called, command = _own_name(tree) or called, _python_command(words, tree)
    return MatchPlayer(name if given else called, command, text, digest)


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadPlayer(f"{text!r} is no command: {str(error).lower()}") from None
    if not words or not words[0]:
        raise BadPlayer("a player is empty: it is a Python file, a command, or a built-in bot as alphabeta:3")
    return words


def _builtin(word: str) -> tuple[str, tuple[str, ...]]:
    try:
        bot = read_builtin_bot(word)
    except BadBuiltinBot as error:
        raise BadPlayer(str(error)) from None
    if word.count(":") > (bot.level is not None):
        raise BadPlayer(f"{word!r} names a game: that of a match is named by --game")
    return bot.name, builtin_bot_command(bot)


def _is_inside(word: str, folder: Path) -> bool:
    """Tell whether a path lies in a folder, and leads out of it by no link."""
    try:
        return (folder / word).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError):  # a name that is too long, or has a null byte
        return False


def _check_program(words: Sequence[str], folder: Path) -> None:
    """Raise `BadPlayer` where the program of a command is not there, or cannot be started."""
    program = words[0]
    path = folder / program
    if _is_python(program):
        if not path.is_file():
            raise BadPlayer(f"there is no file {program}{_alike(program, folder)}")
        return
    if "/" not in program:
        if shutil.which(program, path=_search_path()) is not None:
            return
        if path.is_file():
            raise BadPlayer(f"there is no program {program}; for the file of this folder write ./{program}")
        raise BadPlayer(f"there is no file, no program and no built-in bot {program}{_alike(program, folder)}")
    if not path.exists():
        raise BadPlayer(f"there is no program {program}{_alike(program, folder)}")
    if path.is_dir():
        raise BadPlayer(f"{program} is a folder, and no program")
    if not os.access(path, os.X_OK):
        raise BadPlayer(f"{program} is not executable: chmod +x {shlex.quote(program)} makes it so")


def _search_path() -> str:
    """Return where programs are looked for: arena-bot is found also where its environment is not on the path."""
    return os.pathsep.join((os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)))


def _alike(word: str, folder: Path) -> str:
    """Return a question about a player that is written in a similar way; empty where there is none."""
    path = Path(word)
    place = (folder / path).parent
    try:
        files = [str(path.parent / one.name) for one in place.iterdir() if one.is_file()]
    except OSError:
        files = []
    if not path.suffix and f"{path}.py" in files:
        return f"; did you mean {path}.py?"
    return nearest(word, [*files, *BUILTIN_BOTS])


def _is_python(word: str) -> bool:
    return word.endswith(".py")


def _parsed(word: str, folder: Path) -> ast.Module:
    """Return a Python file as a tree; raises `BadPlayer`."""
    try:
        return ast.parse((folder / word).read_bytes(), word)
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        why = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BadPlayer(f"{word}{line}: this is no Python: {why}") from None
    except OSError as error:
        raise BadPlayer(f"{word} cannot be read: {explain_fault(error)}") from None


def _python_command(words: Sequence[str], tree: ast.Module) -> tuple[str, ...]:
    """Return the command of a Python file: as a program, or with the library's help where it plays by the library."""
    if _calls_play(tree) or (_binds_choose(tree) and not _talks_itself(tree)):
        return (sys.executable, "-P", "-m", PLAY_FILE, "{host}", "{port}", *words)
    return (sys.executable, *words)


def _own_name(tree: ast.Module) -> str:
    """Return the name that a Python file gives itself, as in play(choose, name="ann"); empty where it does not."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="play") | ast.Attribute(attr="play"), keywords=keywords):
                for keyword in keywords:
                    match keyword:
                        case ast.keyword(arg="name", value=ast.Constant(value=str(name))):
                            return name if re.fullmatch(NAME_PATTERN, name) else ""
    return ""


def _binds_choose(tree: ast.Module) -> bool:
    """Tell whether a module defines, imports or assigns a name `choose`."""
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name) if name == CHOOSE:
                return True
            case ast.Assign(targets=targets) if any(_is_name(target, CHOOSE) for target in targets):
                return True
            case ast.AnnAssign(target=target, value=value) if value is not None and _is_name(target, CHOOSE):
                return True
            case ast.ImportFrom(names=names) if any((one.asname or one.name) == CHOOSE for one in names):
                return True
    return False


def _calls_play(tree: ast.Module) -> bool:
    """Tell whether a module imports the client library's `play`."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names) if any(_is_in(one.name, LIBRARY) for one in names):
                return True
            case ast.ImportFrom(module=str(module), names=names) if _is_in(module, LIBRARY):
                if any(one.name in ("play", "run") for one in names):
                    return True
            case ast.ImportFrom(module="bots", names=names) if any(one.name == "client" for one in names):
                return True
    return False


def _talks_itself(tree: ast.Module) -> bool:
    """Tell whether a module uses sockets or standard input."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names) if any(_is_in(one.name, *NETWORK) for one in names):
                return True
            case ast.ImportFrom(module=str(module)) if _is_in(module, *NETWORK):
                return True
            case ast.Call(func=ast.Name(id="input")) | ast.Attribute(attr="stdin"):
                return True
    return False


def _is_in(module: str, *packages: str) -> bool:
    return any(module == known or module.startswith(f"{known}.") for known in packages)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _files(words: Sequence[str], folder: Path) -> list[Path]:
    """Return the files that the words of a command name."""
    return [folder / word for word in words if "\0" not in word and len(word) < 4096 and (folder / word).is_file()]


def _name_of(words: Sequence[str], folder: Path) -> str:
    """Name a player after the first file of its command that is no interpreter, or after its program."""
    stems = [path.stem for path in _files(words, folder)] + [Path(words[0]).stem]
    stem = next((one for one in stems if not INTERPRETERS.fullmatch(one)), stems[-1])
    name = re.sub("[^A-Za-z0-9_.-]+", "-", stem).lstrip("_.-")[:MAX_NAME]
    return name or "player"


def _digest(words: Sequence[str], folder: Path) -> str:
    """Return the digest of the files of a command, so that a changed player is noticed."""
    digest = sha256()
    files = _files(words, folder)
    for path in files:
        try:
            digest.update(sha256(path.read_bytes()).digest())
        except OSError as error:
            raise BadPlayer(f"{path}: it cannot be read: {explain_fault(error)}") from None
    return digest.hexdigest() if files else ""

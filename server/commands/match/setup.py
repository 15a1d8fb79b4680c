"""A match as the command line asks for it: its players, and the contest of format pairs that they play.

A player is a Python file, a command, or a built-in bot. Whether a command connects over TCP or talks on stdin and
stdout needs not be said: it is offered both.
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

import msgspec

from engine.commands.program import Rejected, explain_fault, whole_command
from engine.duel.openings import usual_plies
from engine.games.catalogue import GAMES
from engine.match.clock import TimeControl
from engine.statistics.elo import Sprt
from engine.wire.words import NAME_PATTERN, NAME_RULE, nearest
from server.config.builtin_bot import BUILTIN_BOTS, BadBuiltinBot, builtin_bot_command, read_builtin_bot
from server.contest.definition import Definition, DrawnOpenings, Entrant, Sandbox, Stage, Variant
from server.contest.fixtures import Fixture
from server.contest.formats.meetings import Pairs, all_meetings
from server.contest.programs.program import connects
from server.net.connection import CAN_WAIT_FOR_PIPES

MAX_NAME = 32
"""Characters of a name."""

LIBRARY = re.compile(r"(from|import) bots\.client\b|from bots import client\b")
"""Top-level statement of a Python file that imports the client library."""

CHOOSE = re.compile(r"def choose\(|choose(: .+)? = |from .+ import .*\bchoose\b")
"""Top-level statement of a Python file that has a `choose`."""

TALKS = frozenset({"play", "input", "stdin", "socket"})
"""Names, one of which stands in a Python file that plays without a `choose`."""

MISSPELT = 0.75
"""Similarity of a misspelt ``choose``: ``chose`` is one, and ``choose_move`` is another function."""

DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Pass)
"""Statements that do nothing by themselves."""

INTERPRETERS = re.compile(r"(python|pypy|java|node|ruby|perl|lua|sh|bash|env)[0-9.]*")
"""Programs that nobody would call a player after."""

PLAY_FILE = "bots.workbench.play_file"
"""The module that plays with the bot of a Python file; a program of its own, and no part of the server."""


BRIDGE = ("-P", "-m", "bots", "bridge", "--host", "{host}", "--port", "{port}", "--name", "{name}", "--game", "{game}",
          "--quiet", "--")  # fmt: skip
"""Connects a program on stdin and stdout, where the server itself cannot wait for pipes."""


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
    """Its own working directory, which it sees whole in a sandbox; empty for none."""


def read_players(texts: Sequence[str], folder: Path, folders: Sequence[Path] = ()) -> tuple[MatchPlayer, ...]:
    """Read the players of a match; raises `Rejected`.

    Their files are relative to a folder, those of the first players to their own ``folders``. If several
    players have one name, the second one gets the suffix ``.2``, and so on.
    """
    if len(folders) > len(texts):
        raise Rejected(f"--folder is given {len(folders)} times, for {len(texts)} players")
    if missing := [own for own in folders if not own.is_dir()]:
        raise Rejected(f"--folder: there is no folder {missing[0]}")
    found: dict[str, MatchPlayer] = {}
    for text, own in zip_longest(texts, [own.absolute() for own in folders]):
        player = _read_player(text, folder) if own is None else _read_player(text, own, confined=True)
        name, number = player.name, 1
        while name.lower() in found:
            number += 1
            name = f"{player.name[: MAX_NAME - 1 - len(str(number))]}.{number}"
        found[name.lower()] = player._replace(name=name)
    return tuple(found.values())


def _read_player(text: str, folder: Path, *, confined: bool = False) -> MatchPlayer:
    """Read ``NAME=PLAYER``, or a player without a name. A ``confined`` player has a folder and reads no other file."""
    name, equals, rest = text.partition("=")
    is_named = bool(equals) and not os.path.isfile(folder / text) and re.fullmatch(r"[^\s/\"']+", name) is not None
    if is_named and not re.fullmatch(NAME_PATTERN, name):
        raise Rejected(f"{text!r}: {name!r} is no name of a player: one has {NAME_RULE}")
    if not (words := whole_command([rest if is_named else text], folder)) or not words[0]:
        raise Rejected("a player is empty: it is a Python file, a command, or a built-in bot as alphabeta:3")
    program = words[0]
    if len(words) == 1 and program.partition(":")[0] in BUILTIN_BOTS:
        try:
            bot = read_builtin_bot(program)
        except BadBuiltinBot as error:
            raise Rejected(str(error)) from None
        if program.count(":") > (bot.level is not None):
            raise Rejected(f"{program!r} names a game; name the game of the match by --game")
        return MatchPlayer(name if is_named else bot.name, builtin_bot_command(bot), text, "")
    # a sandbox shows no file outside of the folder, nor one behind a link that leads out of it
    inside = [word for word in words if not confined or (folder / word).resolve().is_relative_to(folder.resolve())]
    if program in inside or "/" not in program:
        _check_program(program, words[1:], folder)
    command = words
    if program.endswith(".py") and program in inside:
        helper = ("-P", "-m", PLAY_FILE, "{host}", "{port}") if _plays_by_library(program, folder) else ()
        command = (sys.executable, *helper, *words)
    if not CAN_WAIT_FOR_PIPES and not connects(command):
        command = (sys.executable, *BRIDGE, *command)
    files = [folder / word for word in inside if os.path.isfile(folder / word)]
    name = name if is_named else _name_of([*files, Path(program)])
    return MatchPlayer(name, command, text, _digest(files), str(folder) if confined else "")


def _plays_by_library(program: str, folder: Path) -> bool:
    """Tell whether a Python file plays by the client library; raises `Rejected` where it cannot play at all."""
    try:
        module = ast.parse((folder / program).read_bytes(), program)
    except SyntaxError as error:
        raise Rejected(f"{program}, line {error.lineno}: this is no Python: {error.msg}") from None
    except (OSError, ValueError) as error:
        raise Rejected(f"{program} cannot be read: {explain_fault(error)}") from None
    texts = [ast.unparse(statement) for statement in module.body]
    if any(CHOOSE.match(text) for text in texts):
        return True
    functions = [one.name for one in module.body if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    meant = nearest("choose", functions, MISSPELT)
    nodes = list(ast.walk(module))
    names = {one.id for one in nodes if isinstance(one, ast.Name)}
    names |= {one.attr for one in nodes if isinstance(one, ast.Attribute)}
    names |= {one.name for one in nodes if isinstance(one, ast.alias)}
    is_idle = all(
        isinstance(one, DEFINITIONS) or isinstance(getattr(one, "value", 0), ast.Constant) for one in module.body
    )
    if not names & TALKS and (meant or is_idle):
        hint = f"; its {meant} has to be called choose" if meant else ""
        raise Rejected(f"{program} neither calls play nor has a function choose(position, clocks){hint}")
    return any(LIBRARY.match(text) for text in texts)


def _check_program(program: str, arguments: Sequence[str], folder: Path) -> None:
    """Raise `Rejected` where the program of a command is not there, or cannot be started."""
    is_file = os.path.isfile(folder / program)
    # arena-bot is found even if its environment is not on the path
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)))
    if "/" in program or program.endswith(".py"):
        if not is_file:
            raise Rejected(f"there is no file {program}")
        if not program.endswith(".py") and not os.access(folder / program, os.X_OK):
            raise Rejected(f"{program} is not executable: chmod +x {shlex.quote(program)} makes it so")
    elif shutil.which(program, path=places) is None:
        is_named = any(re.match(r"\w[\w.-]*=", word) for word in arguments)
        hint = (
            f"; for the file of this folder write ./{program}"
            if is_file
            else "; the name of a player has no blanks"
            if is_named
            else ""
        )
        raise Rejected(f"there is no file, no program and no built-in bot {program}{hint}")


def _name_of(files: Sequence[Path]) -> str:
    """Name a player after the first file of its command that is no interpreter."""
    stems = [path.stem for path in files]
    stem = next((one for one in stems if not INTERPRETERS.fullmatch(one)), stems[-1])
    return re.sub("[^A-Za-z0-9_.-]+", "-", stem).lstrip("_.-")[:MAX_NAME] or "player"


def _digest(files: Sequence[Path]) -> str:
    """Return the digest of the files of a command, so that a changed player is noticed; empty without files."""
    digest = sha256()
    for path in files:
        try:
            digest.update(sha256(path.read_bytes()).digest())
        except OSError as error:
            raise Rejected(f"{path}: it cannot be read: {explain_fault(error)}") from None
    return digest.hexdigest() if files else ""


MAX_GAMES_AT_ONCE = 1000
"""Games at a time on a cluster, whose workers are the bound."""


class PlayerSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player, as far as its games depend on it."""

    name: str
    command: str
    """As it was written on the command line."""
    digest: str
    """SHA-256 of the files that the command names; empty where it names none."""


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="match"):
    """Settings that all games of a match depend on: the text of the contest in the file of results."""

    players: tuple[PlayerSetting, ...]
    game: str
    variants: tuple[str, ...]
    """Their parameters, in canonical text."""
    budget: int
    """Milliseconds that a side has for a game."""
    increment: int
    """Milliseconds that a move adds."""
    openings: str
    """Random moves and their seed."""
    move_limit: int
    sandbox: bool
    """Whether programs are sealed."""


class MatchSetup(NamedTuple):
    """A match that can be played."""

    setting: Setting
    definition: Definition
    """The contest."""
    fixtures: tuple[Fixture, ...]
    """All games in order, both games of a pair behind each other."""
    test: Sprt | None
    """The test that ends the match, of the first player against the second; None for none."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the players, as they stand on the command line."""
        return tuple(player.name for player in self.setting.players)


def make_setup(
    players: Sequence[MatchPlayer],
    game: str,
    variants: Sequence[str],
    control: TimeControl,
    *,
    plies: int | None,
    seed: int,
    games: int,
    concurrency: int,
    move_limit: int,
    start_seconds: int,
    sandbox: Sandbox,
    test: Sprt | None,
    folder: str,
) -> MatchSetup:
    """Return a match of ``games`` games between every two players, a multiple of two for each variant.

    An opening has ``plies`` random moves, or what suits the game; ``folder`` is where programs are started that have
    none of their own. With a ``concurrency`` of 0 as many games are played at a time as a cluster has room for.
    """
    elo0, elo1 = (None, None) if test is None else (test.elo0, test.elo1)
    budget, increment = control.milliseconds
    definition = Definition(
        name="match",
        entrants=tuple(Entrant(player.name, player.command, folder=player.folder) for player in players),
        variants=tuple(
            Variant(
                game,
                parameters,
                drawn=DrawnOpenings(usual_plies(GAMES[game].start(parameters)) if plies is None else plies, seed),
            )
            for parameters in variants
        ),
        stages=(Stage(Pairs(games, elo0, elo1), control),),
        move_limit=move_limit,
        time_losses=0,
        games_at_once=concurrency or MAX_GAMES_AT_ONCE,
        cores=2 * concurrency,
        folder=folder,
        start_seconds=start_seconds,
        sandbox=sandbox,
    )
    setting = Setting(
        players=tuple(PlayerSetting(player.name, player.written, player.digest) for player in players),
        game=game,
        variants=tuple(variants),
        budget=budget,
        increment=increment,
        openings=f"{'usual' if plies is None else plies} plies, seed {seed}",
        move_limit=move_limit,
        sandbox=sandbox is Sandbox.SEALED,
    )
    schedule = all_meetings(games // (2 * len(variants)), 0, tuple(player.name for player in players), len(variants), 1)
    return MatchSetup(setting, definition, schedule.fixtures, test)

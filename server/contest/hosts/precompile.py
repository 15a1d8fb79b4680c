"""Compiles the code of the distribution's own bots before a contest, since what such a bot compiles itself is lost.

A sandbox keeps no compiled code; and without one, the process that compiles beside a bot is ended with its game. So
each game of such a bot would begin with a compiler at work, for a quarter of a minute or more.
"""

import subprocess
import sys
from pathlib import Path

import structlog
import trio

from server.config.builtin_bot import builtin_bot_named
from server.contest.definition import Definition

log = structlog.get_logger()

SEARCHES = "alphabeta"
"""The bot of this distribution that needs compiled code."""

YIELDING = """
import os, runpy
try: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
except (AttributeError, OSError): os.nice(19)
runpy.run_module("bots", run_name="__main__", alter_sys=True)
"""
"""Runs ``arena-bot``, and takes no time from games that are being played."""


def games_to_compile(definition: Definition) -> list[tuple[str, str]]:
    """Return the games and parameters for which the alpha-beta bot is started, each once.

    It gets ready for a game as it is usually played before it is told a match.
    """
    opponents = () if definition.qualification is None else definition.qualification.opponents
    searching = any(builtin_bot_named(name).kind == SEARCHES for name in opponents)
    if not searching and not any(_searches(entrant.command) for entrant in definition.entrants):
        return []
    usual = [(variant.game, "") for variant in definition.variants]
    return list(dict.fromkeys(usual + [(variant.game, variant.parameters) for variant in definition.variants]))


async def precompile_bots(definition: Definition) -> None:
    """Compile `games_to_compile` if that is not done yet, within some seconds; raises nothing.

    ``beside_games`` leaves the processors to games that may be played meanwhile, and takes as long as they do. Where it
    cannot be compiled here, the bots try themselves.
    """
    for game, parameters in games_to_compile(definition):
        command = [sys.executable, "-P", "-c", YIELDING, "warm", game, *([parameters] if parameters else [])]
        log.info("precompile_started", game=game, params=parameters)
        try:
            done = await trio.run_process(
                command, stdin=subprocess.DEVNULL, capture_stdout=True, capture_stderr=True, check=False
            )
        except Exception as error:
            log.warning("precompile_start_failed", error=repr(error))
            return
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            log.warning("precompile_failed", game=game, params=parameters, said=said)


def _searches(command: tuple[str, ...]) -> bool:
    """Tell whether a command starts that bot, as ``arena-bot alphabeta`` or ``python -m bots alphabeta``."""
    place = command.index(SEARCHES) if SEARCHES in command else 0
    return place > 0 and (Path(command[place - 1]).name == "arena-bot" or command[place - 2 : place] == ("-m", "bots"))

"""Where an argument of `bots.client.run.play` comes from: the call, or the environment of a bot that was started."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bots.client.errors import ArenaError
from engine.wire.seat import said_in, variable
from engine.wire.words import parameters_of

DEFAULT_HOST = "127.0.0.1"


class Given(NamedTuple):
    """The value of an argument."""

    value: object
    variable: str = ""
    """The environment variable that it was read from; empty where the call has it, or it is a default."""

    def error(self, sentence: str) -> ArenaError:
        """Return an error about the value, which names the variable."""
        return ArenaError(f"{self.variable}: {sentence}" if self.variable else sentence)


def take_given(
    environment: Mapping[str, str], arguments: Mapping[str, object], defaults: Mapping[str, object]
) -> dict[str, Given]:
    """Return each argument as the call has it, where that is None as the environment says it, else by default."""
    said: dict[str, object] = dict(said_in(environment))
    if (port := said.get("port")) and str(port).isdecimal():
        said["port"] = int(str(port))
    if params := said.get("params"):
        said["params"] = parameters_of(str(params))
    found = {}
    for name, value in arguments.items():
        if value is not None:
            found[name] = Given(value)
        elif name in said:
            found[name] = Given(said[name], variable(name))
        else:
            found[name] = Given(defaults[name])
    return found


def own_name() -> str:
    """Return the name of the program that runs, as of mybot.py; empty where it has none."""
    program = Path(sys.argv[0] if sys.argv else "")
    return program.stem if program.suffix == ".py" else ""

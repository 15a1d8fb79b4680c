"""What the commands of ``arena-server`` share: options that are read in the same way, and how they fail."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

from engine.commands.usage_errors import explain_fault
from server.config import tokens as token_file
from server.config.serve_options import MAX_PORT, PORTS
from server.config.settings import WEB

Read = TypeVar("Read")

BY = "the command line"
"""Who did something, in the audit log."""


def check_port(name: str, port: int | None) -> None:
    """End the program where an option's number is that of no port; None, where it is left out, is right."""
    if port is not None and (fault := PORTS.fault(name, port)):
        fail(fault)


def place(name: str, text: str) -> tuple[str, int]:
    """Read an address and a port; an address of IPv6 may stand in brackets. Ends the program where it is wrong."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not re.fullmatch("[0-9]{1,5}", port) or int(port) > MAX_PORT:
        fail(f"--{name} is {text!r}; it is an address and a port, as in {WEB}")
    return host, int(port)


def secret(name: str, file: Path | None, read: Callable[[Path], Read]) -> Read | None:
    """Read the file of hashed tokens that an option names. Ends the program where it cannot be read."""
    if file is None:
        return None
    try:
        return read(file)
    except UnicodeDecodeError as error:
        fail(f"--{name}: {file}: {explain_fault(error)}")
    except (OSError, token_file.BadTokens) as error:
        fail(f"--{name}: {explain_fault(error)}")


def fail(sentence: str, status: int = 2) -> NoReturn:
    """Say what is wrong, and end the program."""
    print(f"arena-server: {sentence}", file=sys.stderr)
    sys.exit(status)

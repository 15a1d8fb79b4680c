"""``--install-completion``: a shell that completes the words of a program."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NoReturn

import cyclopts
from cyclopts.completion.install import create_install_completion_command

from engine.commands.usage_errors import explain_fault

Shell = Literal["zsh", "bash", "fish", "powershell"]


def offer_completion(app: cyclopts.App, fail: Callable[[str], NoReturn]) -> None:
    """Add ``--install-completion`` to a program; ``fail`` ends it with a sentence where no file can be written."""

    def install(shell: Shell, output: Path | None, add_to_startup: bool) -> Path:
        try:
            return app.install_completion(shell=shell, output=output, add_to_startup=add_to_startup)
        except OSError as error:
            fail(f"--install-completion: {explain_fault(error)}")

    command = create_install_completion_command(install, add_to_startup=True)
    app.command(command, name="--install-completion", help="Let your shell complete the words of this program.")

"""``arena-engine export``: records as training data, a row for each move."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec
from cyclopts import Parameter

from engine import record
from engine.commands.inputs import place_of, text_of
from engine.commands.program.output import Rejected, say
from engine.commands.usage_errors import reason
from engine.record.examples import Example, examples
from engine.wire.words import number_of


def export(
    *records: Annotated[str, Parameter(allow_leading_hyphen=True)],
    output: Path | None = None,
) -> None:
    """Write the moves of records as lines of JSON: position, legal moves, move, result, clocks and notes.

    docs/learning.md describes the columns. Every record is verified; one that is not true is named, and left out.

    Parameters
    ----------
    records
        Records, folders of them, or data directories of servers; - is one record on standard input.
    output
        File to make; without it lines go to standard output.
    """
    if not records:
        raise Rejected("RECORDS: name a record, a folder of records, or - at least")
    files = [file for name in records for file in _files(name)]
    moves = matches = 0
    with _opened(output) as lines:
        for file in files:
            try:
                found = _examples(file)
            except (Rejected, OverflowError) as error:
                say(f"{error}; left out")
                continue
            lines.write(b"".join(msgspec.json.encode(row) + b"\n" for row in found))
            matches += 1
            moves += len(found)
    say(f"{number_of(moves, 'move')} of {number_of(matches, 'match', 'matches')}")
    if matches < len(files):
        raise Rejected(f"{len(files) - matches} of {number_of(len(files), 'record')} left out")


@contextmanager
def _opened(output: Path | None) -> Iterator[BinaryIO]:
    """Open a new file, or standard output. Raises `Rejected`.

    The file is written as ``NAME.part``, and gets its name when it is complete.
    """
    if output is None:
        yield sys.stdout.buffer
        return
    if output.exists():
        raise Rejected(f"--output {output}: is there already; name another file, or remove it")
    part = output.with_name(f"{output.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        os.replace(part, output)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Rejected(f"--output {output}: cannot be written: {reason(error)}") from None


def _files(name: str) -> Iterator[str]:
    """Yield a file, or those of a folder in the order of their matches; raises `Rejected` where there is none."""
    path = Path(name)
    if name == "-" or not path.is_dir():
        if name != "-" and not path.exists():
            raise Rejected(f"{name}: there is no such file or folder")
        yield name
        return
    folder = path / "records" if (path / "records").is_dir() else path
    found = sorted(folder.glob("*.txt"), key=lambda file: (len(file.name), file.name))
    if not found:
        raise Rejected(f"{folder}: there is no record in this folder; records are called NUMBER.txt")
    yield from map(str, found)


def _examples(file: str) -> list[Example]:
    """Return the moves of a record; raises `Rejected` and OverflowError, which name it."""
    try:
        return list(examples(record.verify(text_of(file))))
    except record.BadRecord as error:
        raise Rejected(f"{place_of(file)}: {error}") from None
    except OverflowError as error:
        raise OverflowError(f"{place_of(file)}: {error}") from None

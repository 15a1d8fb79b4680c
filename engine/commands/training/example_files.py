"""Files of training data: lines of JSON, and Parquet, which appear under their name when they are complete."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec

from engine.commands.program.output import Rejected
from engine.commands.usage_errors import reason
from engine.record.dataset.examples import Example

ROW_GROUP = 5000
"""Rows that are written to a Parquet file at a time."""


class ExampleWriter(Protocol):
    """Writes rows of training data."""

    def write(self, rows: Sequence[Example]) -> None:
        """Write rows, or keep them until there are more; raises OSError."""

    def finish(self) -> None:
        """Write what was kept; raises OSError."""


@contextmanager
def opened_writer(kind: str, output: Path | None) -> Iterator[ExampleWriter]:
    """Open what writes rows of a format, ``ndjson`` or ``parquet``, to a new file, or to standard output.

    The file is written beside its place as ``NAME.part``, and moved there when all is written. Raises `Rejected`.
    """
    if output is None:
        if kind == "parquet":
            raise Rejected("--format parquet needs --output FILE: it is no text for standard output")
        yield _JsonLines(sys.stdout.buffer)
        return
    if output.exists():
        raise Rejected(f"--output {output}: is there already; name another file, or remove it")
    make = _parquet() if kind == "parquet" else _JsonLines
    part = output.with_name(f"{output.name}.part")
    try:
        with part.open("wb") as file:
            writer = make(file)
            yield writer
            writer.finish()
        os.replace(part, output)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Rejected(f"--output {output}: cannot be written: {reason(error)}") from None


class _JsonLines:
    """Rows as lines of JSON."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, rows: Sequence[Example]) -> None:
        self._file.write(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))

    def finish(self) -> None:
        self._file.flush()


class _Parquet:
    """Rows as a table of Parquet, in groups."""

    def __init__(self, arrow: Any, writer: Any) -> None:
        """Take the module pyarrow and its writer of the file."""
        self._arrow, self._writer = arrow, writer
        self._rows: list[Example] = []

    def write(self, rows: Sequence[Example]) -> None:
        self._rows += rows
        if len(self._rows) >= ROW_GROUP:
            self._write_group()

    def finish(self) -> None:
        if self._rows:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        rows, self._rows = msgspec.to_builtins(self._rows), []
        self._writer.write_table(self._arrow.Table.from_pylist(rows, self._writer.schema))


def _parquet() -> Callable[[BinaryIO], ExampleWriter]:
    """Return what begins a Parquet file; raises `Rejected` where pyarrow is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise Rejected("--format parquet needs pyarrow: pip install 'gipf-arena[parquet]' installs it") from None
    whole, number, text = pyarrow.int64(), pyarrow.float64(), pyarrow.string()
    actions = pyarrow.list_(pyarrow.int32())
    note = {"score": number, "depth": whole, "nodes": whole, "pv": pyarrow.list_(text), "text": text}
    columns = {
        "match": whole,
        "game": text,
        "parameters": text,
        "started": text,
        "ply": pyarrow.int32(),
        "plies": pyarrow.int32(),
        "side": text,
        "player": text,
        "opponent": text,
        "position": text,
        "legal_moves": pyarrow.list_(text),
        "legal_actions": pyarrow.list_(actions),
        "move": text,
        "actions": actions,
        "result": number,
        "reason": text,
        "left_ms": number,
        "opponent_left_ms": number,
        "used_ms": number,
        "notes": pyarrow.list_(pyarrow.struct(list(note.items()))),
    }
    schema = pyarrow.schema(list(columns.items()))
    return lambda file: _Parquet(pyarrow, parquet.ParquetWriter(file, schema, compression="zstd"))

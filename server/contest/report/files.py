"""Writes the files of a report, JSON, CSV and the page, and compares reports. Each file is replaced as a whole."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isclose
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import msgspec

from engine.statistics.elo import Rating
from server.contest.formats.format import Standing
from server.contest.report.formatting import printable
from server.contest.report.page import page
from server.contest.report.structure import Game, Report

FORMULAS = ("=", "+", "-", "@")
"""What spreadsheets take for the beginning of a formula (OWASP, "CSV Injection")."""

MODE = 0o644
"""Everybody may read a report; what is secret stands in none."""


def write_report_files(report: Report, folder: Path) -> None:
    """Write all files of a report into a folder, which is created if it is missing; raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in file_texts(report).items():
        _replace(folder / name, text)


def file_texts(report: Report) -> dict[str, str]:
    """Return the texts of all files by their names."""
    standings = [
        (stage.number, stage.format, *msgspec.structs.astuple(line)) for stage in report.stages for line in stage.table
    ]
    return {
        "report.json": msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n",
        "standings.csv": table(("stage", "format", *Standing.__struct_fields__), standings),
        "games.csv": table(Game.__struct_fields__, map(msgspec.structs.astuple, report.games)),
        "ratings.csv": table(Rating.__struct_fields__, map(msgspec.structs.astuple, report.ratings)),
        "index.html": page(report),
    }


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV (RFC 4180): None becomes an empty field, and no text begins like a formula."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        shown = printable(value)
        return f"'{shown}" if shown.startswith(FORMULAS) else shown
    return value


def _replace(path: Path, text: str) -> None:
    """Write a file under a temporary name, and rename it when it is complete."""
    with NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(text.encode())
            file.close()
            Path(file.name).chmod(MODE)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


TOLERANCE = 1e-6
"""Relative difference of figures that rounding on another machine may make; ratings are in Elo."""


def differences(mine: Any, its: Any) -> list[str]:
    """Return the differences between two reports as plain data, a sentence each; ``mine`` is by the records."""
    right, found = dict(_values(mine)), dict(_values(its))
    return [
        f"report.json: {where} is {_short(found.get(where))}, and by the records it is {_short(right.get(where))}"
        for where in right | found
        if not _is_same(right.get(where), found.get(where))
    ]


def _values(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all values in plain data that hold no others, each with its place, as in stages[0].table[2].points."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _values(part, f"{where}.{key}" if where else str(key))
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from _values(part, f"{where}[{number}]")
    else:
        yield where, value


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return None not in (one, other) and isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return one == other and type(one) is type(other)


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else f"{text[:60]}…"

"""Writes the files of a report, JSON, CSV and the page, and compares reports. Each file is replaced as a whole."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
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


def differences(mine: Any, its: Any, where: str = "") -> list[str]:
    """Return the differences between two reports as plain data, a sentence each; ``mine`` is by the records."""
    if isinstance(mine, Mapping) and isinstance(its, Mapping):
        keys = [*mine, *(key for key in its if key not in mine)]
        return [
            found for key in keys for found in differences(mine.get(key), its.get(key), f"{where}.{key}".lstrip("."))
        ]
    if isinstance(mine, list | tuple) and isinstance(its, list | tuple) and len(mine) == len(its):
        return [
            found
            for place, pair in enumerate(zip(mine, its, strict=True))
            for found in differences(*pair, f"{where}[{place}]")
        ]
    if isinstance(mine, float | int) and isinstance(its, float | int) and not isinstance(mine, bool):
        same = isclose(mine, its, rel_tol=TOLERANCE, abs_tol=TOLERANCE) and not isinstance(its, bool)
    else:
        same = mine == its
    return [] if same else [f"report.json: {where} is {_short(its)}, and by the records it is {_short(mine)}"]


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else f"{text[:60]}…"

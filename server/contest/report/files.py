"""Writes the files of a report: JSON, CSV and the page. Each file is replaced as a whole."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec

from server.contest.formats.standings import Standing
from server.contest.report.formatting import printable
from server.contest.report.page import page
from server.contest.report.structure import Game, Report
from server.contest.scoring.ratings import Rating

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

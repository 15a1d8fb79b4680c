"""The command line of ``arena-bot grade``; `bots.cli` finds it as an entry point of the distribution."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from engine.commands import reports
from engine.commands.inputs import File
from engine.commands.program import explain_fault

if TYPE_CHECKING:
    from server.league.grading.evidence import Evidence

REPORT = "report.json"
"""The file of a contest's folder that is read."""


def grade(
    rule: Path,
    /,
    *files: str,
    csv: File = None,
    json: File = None,
) -> None:
    """Turn contests, matches and conformance tests into points for a class, by a rule in TOML (docs/grading.md).

    Exit status: 0 everybody is graded; 1 a file cannot be written; 2 a wrong rule, report or option.

    Parameters
    ----------
    rule
        The rule file.
    files
        Reports: what arena-bot match --json has written, the folder of a contest or its report.json, and, as NAME=FILE,
        what arena-bot check --json has written of somebody's bot.
    csv
        File for a table as gradebooks read it; - is stdout, which then shows nothing else.
    json
        File for all grades with their reasons, as JSON.
    """
    from server.league.grading import grading

    outputs = {"--csv": csv, "--json": json}
    if fault := reports.not_writable_of(outputs):
        _fail(fault)
    if not files:
        _fail("no report is given: arena-bot grade RULE MATCH.json CONTEST-FOLDER NAME=CHECK.json")
    try:
        found = grading.read(_text(rule))
        students: tuple[grading.Student, ...] = grading.grade_all(found, _read_reports(files))
    except grading.BadRule as error:
        _fail(f"{rule}: {error}")
    if "-" not in outputs.values():
        for line in grading.as_text(found, students):
            print(line)
    _write("--csv", csv, lambda: grading.as_csv(found, students))
    _write("--json", json, lambda: grading.as_json(found, students))


def _read_reports(files: tuple[str, ...]) -> "Evidence":
    """Return what all reports show; ends the command at the first one that cannot be used."""
    from server.league.grading.evidence import BadReport, Evidence, add_report

    evidence = Evidence()
    for given in files:
        name, equals, file = given.partition("=")
        owner = name if equals and not Path(given).exists() else ""
        path = Path(file if owner else given)
        if path.is_dir():
            path /= REPORT
        try:
            add_report(evidence, path.read_bytes(), owner, str(path))
        except OSError as error:
            _fail(f"{path} cannot be read: {error.strerror}")
        except BadReport as error:
            _fail(f"{path}: {error}")
    return evidence


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        _fail(f"{file}: it is no text in UTF-8")
    except OSError as error:
        _fail(f"{file} cannot be read: {error.strerror}")


def _write(option: str, file: str | None, text: Callable[[], str]) -> None:
    if file:
        try:
            reports.write(file, text())
        except OSError as error:
            _fail(f"{option}: {explain_fault(error)}", 1)


def _fail(sentence: str, status: int = 2) -> NoReturn:
    print(f"arena-bot: {sentence}", file=sys.stderr)
    sys.exit(status)

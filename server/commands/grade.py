"""The command line of ``arena-bot grade``; `bots.cli` finds it as an entry point of the distribution."""

from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands import reports
from engine.commands.inputs import File
from engine.commands.program import Rejected, reason

if TYPE_CHECKING:
    from server.league.grading.grading import Evidence

REPORT = "report.json"
"""The file of a contest's folder that is read."""


def grade(
    rule: Path,
    /,
    *files: str,
    csv: File = None,
    json: File = None,
) -> None:
    """Turn contests, matches and conformance tests into points for a class, by a rule in TOML (docs/league.md).

    Exit status: 0 everybody is graded; 1 a file cannot be written; 2 a wrong rule, report or option.

    Parameters
    ----------
    rule
        The rule file.
    files
        Reports: files of arena-bot match --json, folders of contests or their report.json, and NAME=FILE for a file of
        arena-bot check --json on the bot of NAME.
    csv
        File for a table as gradebooks read it; - is stdout, which then shows nothing else.
    json
        File for all grades with their reasons, as JSON.
    """
    from server.league.grading import grading

    outputs = {"--csv": csv, "--json": json}
    reports.check_files(outputs)
    if not files:
        raise Rejected("no report is given: arena-bot grade RULE MATCH.json CONTEST-FOLDER NAME=CHECK.json")
    try:
        found = grading.read(rule.read_text(encoding="utf-8-sig"))
        students: tuple[grading.Student, ...] = grading.grade_all(found, _read_reports(files))
    except (grading.BadRule, OSError, UnicodeError) as error:
        raise Rejected(f"{rule}: {reason(error)}") from None
    if "-" not in outputs.values():
        for line in grading.as_text(found, students):
            print(line)
    reports.write("--csv", csv, lambda: grading.as_csv(found, students))
    reports.write("--json", json, lambda: grading.as_json(found, students))


def _read_reports(files: tuple[str, ...]) -> "Evidence":
    """Return what all reports show; ends the command at the first one that cannot be used."""
    from server.league.grading.grading import BadReport, Evidence, add_report

    evidence = Evidence()
    for given in files:
        name, equals, file = given.partition("=")
        owner = name if equals and not Path(given).exists() else ""
        path = Path(file if owner else given)
        if path.is_dir():
            path /= REPORT
        try:
            add_report(evidence, path.read_bytes(), owner, str(path))
        except (OSError, BadReport) as error:
            raise Rejected(f"{path}: {reason(error)}") from None
    return evidence

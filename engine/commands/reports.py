"""Test reports as JSON and as JUnit XML for CI systems. Only `check_files` and `write` access files."""

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from engine.commands.program import Rejected, explain_fault

Outcome = Literal["passed", "failed", "skipped"]

NOT_OF_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that are not allowed in XML 1.0 (section 2.2 of its recommendation)."""


@dataclass(frozen=True)
class Case:
    """The result of one test. ``message`` is the reason of a failure or a skip, ``details`` is any text."""

    name: str
    outcome: Outcome = "passed"
    message: str = ""
    details: str = ""
    seconds: float | None = None


@dataclass(frozen=True)
class Suite:
    """A group of tests, for example all situations of one bot, or all games of a match."""

    name: str
    cases: Sequence[Case]


def junit(suites: Sequence[Suite]) -> str:
    """Return suites of tests as JUnit XML."""
    top = ElementTree.Element("testsuites", _counts([case for suite in suites for case in suite.cases]))
    for suite in suites:
        element = ElementTree.SubElement(top, "testsuite", {"name": _clean(suite.name), **_counts(suite.cases)})
        for case in suite.cases:
            test = ElementTree.SubElement(element, "testcase", {"classname": _clean(suite.name)})
            test.set("name", _clean(case.name))
            if case.seconds is not None:
                test.set("time", f"{case.seconds:.3f}")
            if case.outcome == "passed":
                continue
            inner = "failure" if case.outcome == "failed" else "skipped"
            ElementTree.SubElement(test, inner, {"message": _clean(case.message)}).text = _clean(case.details) or None
    ElementTree.indent(top)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(top, encoding="unicode")}\n'


def as_json(value: object) -> str:
    """Return plain data as JSON, indented for people."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def check_files(files: Mapping[str, str | None]) -> None:
    """Check that files can be written, before long work; raises `Rejected`.

    ``files`` has the name for each option: None without the option, ``-`` for stdout.
    """
    for option, file in files.items():
        if file and file != "-" and (fault := _fault_of(Path(file))):
            raise Rejected(f"{option}: {fault}")
    to_stdout = [option for option, file in files.items() if file == "-"]
    if len(to_stdout) > 1:
        raise Rejected(f"{' and '.join(to_stdout)} cannot both be -, which is stdout")


def _fault_of(path: Path) -> str:
    """Return the reason why a file cannot be written; empty if it can."""
    if path.is_dir():
        return f"{path} is a folder; a file is needed"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return "" if os.access(path if path.exists() else path.parent, os.W_OK) else f"{path} may not be written"


def write(option: str, file: str | None, text: Callable[[], str]) -> None:
    """Write a report to the file of an option, if it has one; ``-`` is stdout. Raises `Rejected`."""
    try:
        if file == "-":
            print(text(), end="", flush=True)
        elif file:
            Path(file).write_text(text(), encoding="utf-8")
    except OSError as error:
        raise Rejected(f"{option}: {explain_fault(error)}", 1) from None


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    """Return the attributes with the totals of tests in JUnit XML."""
    outcomes = [case.outcome for case in cases]
    return {
        "tests": f"{len(cases)}",
        "failures": f"{outcomes.count('failed')}",
        "errors": "0",
        "skipped": f"{outcomes.count('skipped')}",
        "time": f"{sum(case.seconds or 0 for case in cases):.3f}",
    }


def _clean(text: str) -> str:
    """Replace characters that are not allowed in XML by question marks."""
    return NOT_OF_XML.sub("?", text)

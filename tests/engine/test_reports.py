"""Reports in the formats of CI systems, read again by what knows the formats."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine.commands.program import Rejected
from engine.commands.reports import Case, Suite, check_files, junit, write

SUITES = [
    Suite(
        "check mybot",
        [
            Case("logs in", seconds=0.25),
            Case('chooses <rows> & "more"', "failed", "said 'MOVE a1-a1'", "in the position:\n  2 3 9 9", 1.5),
            Case("finds a forced move", "skipped", "no forced moves"),
        ],
    ),
    Suite("match", [Case("game 1", "failed", "lost on time")]),
]


def test_junit_holds_each_test_and_their_counts() -> None:
    top = ElementTree.fromstring(junit(SUITES))
    assert top.tag == "testsuites"
    assert top.attrib == {"tests": "4", "failures": "2", "errors": "0", "skipped": "1", "time": "1.750"}
    first, second = top
    assert first.attrib == {"name": "check mybot", "tests": "3", "failures": "1", "errors": "0", "skipped": "1",
                            "time": "1.750"}  # fmt: skip
    assert [case.get("name") for case in first] == ["logs in", 'chooses <rows> & "more"', "finds a forced move"]
    assert {case.get("classname") for case in first} == {"check mybot"}
    assert [case.get("time") for case in first] == ["0.250", "1.500", None]
    (failure,) = first[1]
    assert (failure.tag, failure.get("message")) == ("failure", "said 'MOVE a1-a1'")
    assert failure.text == "in the position:\n  2 3 9 9"
    (skipped,) = first[2]
    assert (skipped.tag, skipped.get("message"), skipped.text) == ("skipped", "no forced moves", None)
    assert len(first[0]) == 0 and second.get("name") == "match"


@pytest.mark.parametrize("said", ["", "]]>", "&lt;", "".join(map(chr, (*range(0x400), *range(0xD7F0, 0x10010))))])
def test_junit_is_xml_whatever_a_bot_says(said: str) -> None:
    """Control characters, markup, halves of surrogate pairs, noncharacters, and characters beyond 16 bits."""
    top = ElementTree.fromstring(junit([Suite(said, [Case(said, "failed", said, said)])]))
    assert len(top) == 1 and len(top[0]) == 1


def test_where_a_report_cannot_be_written_is_known_before(tmp_path: Path) -> None:
    check_files({"--csv": None, "--json": "-", "--junit": str(tmp_path / "new.xml")})
    for files, sentence in (
        ({"--json": str(tmp_path)}, f"--json: {tmp_path} is a folder; a file is needed"),
        ({"--json": str(tmp_path / "no" / "new.xml")}, f"--json: there is no folder {tmp_path / 'no'}"),
        ({"--json": "-", "--junit": "-"}, "--json and --junit cannot both be -, which is stdout"),
    ):
        with pytest.raises(Rejected, match=re.escape(sentence)):
            check_files(files)
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_written_to_a_file_or_to_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in (None, str(tmp_path / "a.json"), "-"):
        write("--json", file, lambda: "ä\n")
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == capsys.readouterr().out == "ä\n"
    with pytest.raises(Rejected, match=r"--json: .*: Is a directory"):
        write("--json", str(tmp_path), lambda: "")

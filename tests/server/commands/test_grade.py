"""``arena-bot grade``: rules, what the reports of our own commands are worth by them, and the formats of graders."""

import csv
import json
import math
import re
from functools import cache
from pathlib import Path

import msgspec
import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from bots.check.run import SituationResult, as_json as check_as_json
from engine.commands.program import Rejected
from engine.statistics.elo import estimate
from server.commands.grade import grade
from server.commands.match.results import MatchProgress, MatchTally, as_json
from server.contest.formats.meetings import RoundRobin
from server.league.grading.grading import Evidence, add_report, as_text, elo_low, grade_all, read
from tests.server.commands.match.made import game, setup
from tests.server.contest.report.samples import sample_report

LEAGUE = (Path(__file__).parents[3] / "docs" / "league.md").read_text(encoding="utf-8")
DOCUMENT = LEAGUE.partition("\n## Grades\n")[2]


def blocks(kind: str) -> list[str]:
    """Return the blocks of the document in a language."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)


def check_report(passed: int, failed: int, skipped: int = 0) -> bytes:
    """Return what arena-bot check writes."""
    results = [SituationResult(f"{number}", "passed", 0.0) for number in range(passed)]
    results += [SituationResult(f"f{number}", "failed", 0.0, reason="x") for number in range(failed)]
    results += [SituationResult(f"s{number}", "skipped", 0.0, reason="x") for number in range(skipped)]
    return check_as_json("./bot", results).encode()


def match_report(one: str, other: str, *points: float, status: int = 0) -> bytes:
    """Return what arena-bot match writes of games with these points of the first player, colours swapped in pairs."""
    names = one, other
    tally = MatchTally(names, None)
    for number, got in enumerate(points, 1):
        winner = one if got == 1 else other if got == 0 else None
        tally.add(game(number, winner, names=names))
    return as_json(setup(names, 2), MatchProgress(tally, len(points)), status).encode()


@cache
def contest_report() -> bytes:
    """Return what a contest of four writes."""
    return msgspec.json.encode(sample_report(4, RoundRobin()))


def rule(*criteria: str, students: str = "") -> str:
    """Return a rule file."""
    return students + "".join(f"[[points]]\n{criterion}\n" for criterion in criteria)


def graded(text: str, *reports: bytes | tuple[str, bytes]) -> dict[str, list[float]]:
    """Return the points of everybody, criterion by criterion."""
    evidence = Evidence()
    for report in reports:
        add_report(evidence, *((report[1], report[0]) if isinstance(report, tuple) else (report, "")))
    return {one.name: [each.points for each in one.grades] for one in grade_all(read(text), evidence)}


def test_conformance_counts_what_could_be_tried() -> None:
    text = rule('for = "conformance"\nmost = 30\nnone = 0.5')
    reports = ("ann", check_report(34, 0, 2)), ("bob", check_report(27, 9)), ("carl", check_report(1, 35))
    assert graded(text, *reports) == {"ann": [30], "bob": [15], "carl": [0]}


def test_score_is_that_of_all_games_against_the_level_in_all_reports() -> None:
    text = rule('for = "score"\nagainst = "alphabeta:1"\nmost = 10\nfull = 0.75')
    reports = match_report("Ann", "alphabeta-1", 1, 1, 0, 0.5), match_report("alphabeta-1", "ann", 1, 0)
    assert graded(text, *reports) == {"Ann": [round(10 * (3.5 / 6) / 0.75, 2)]}
    assert graded(text, match_report("bob", "alphabeta-1", 1, 1, 1, 0.5), match_report("bob", "carl", 0, 0)) == {
        "bob": [10],
        "carl": [0],
    }


def test_elo_counts_pairs_and_the_lower_end_of_the_interval() -> None:
    games = [1, 0, 1, 1, 0.5, 1, 0, 0, 1, 0.5]
    counts = (1, 0, 1, 2, 1)
    found = estimate(counts)
    text = rule('for = "elo"\nagainst = "alphabeta-2"\nmost = 100\nnone = -1000\nfull = 1000')
    expected = round(100 * (found.elo - found.margin + 1000) / 2000, 2)
    assert graded(text, match_report("ann", "alphabeta-2", *games)) == {"ann": [expected]}
    text = rule('for = "elo"\nagainst = "x"\nmost = 1\nnone = 0\nfull = 1')
    assert graded(text, match_report("x", "ann", *[0, 0] * 30)) == {"ann": [1]}


def test_the_lower_end_where_all_pairs_end_alike() -> None:
    """Twenty successes of twenty: at least 0.8316 with 97.5 % (tables of Clopper and Pearson)."""
    assert elo_low((0, 0, 0, 0, 20)) == pytest.approx(400 * math.log10(0.8316 / 0.1684), abs=0.5)
    assert elo_low((0, 0, 20, 0, 0)) < 0 < elo_low((0, 0, 0, 0, 10)) < elo_low((0, 0, 0, 0, 11))
    assert elo_low((3, 0, 0, 0, 0)) == pytest.approx(-1200, abs=1)


def test_places_and_games_are_those_of_the_contest() -> None:
    report = sample_report(4, RoundRobin())
    table = report.stages[-1].table
    compared = report.comparisons[0]
    text = rule(
        'for = "place"\nmost = 30',
        f'for = "score"\nagainst = "{compared.other}"\nmost = 1',
        f'for = "elo"\nagainst = "{compared.other}"\nmost = 1\nnone = -3000\nfull = 3000',
    )
    found = graded(text, contest_report())
    others = [line for line in table if line.name != compared.other]
    assert [found[line.name][0] for line in others] == [
        round(30 * (len(table) - line.place) / (len(table) - 1), 2) for line in others
    ]
    games = [game for game in report.games if {game.first, game.second} == {compared.one, compared.other}]
    counted = [game.points_of(compared.one) for game in games if game.counts]
    _, score, elo = found[compared.one]
    assert score == round(sum(counted) / len(counted), 2) and 0 < elo < 1


def test_rating_is_that_of_the_contest() -> None:
    text = rule('for = "rating"\nmost = 100\nnone = -3000\nfull = 3000')
    found = graded(text, contest_report())
    for rating in json.loads(contest_report())["ratings"]:
        part = (rating["low"] + 3000) / 6000
        assert found[rating["name"]] == [round(100 * min(max(part, 0), 1), 2)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("points", snapshot("BadRule: this is no TOML: Expected '=' after a key in a key/value pair (at end of document)")),
        ("", snapshot('BadRule: points is missing: one [[points]] or more, each with for and most')),
        ("point = []", snapshot('BadRule: point is no key of a rule file; these are students, points; did you mean points?')),
        (rule("most = 3"), snapshot('BadRule: points[1].for is missing: one of builds, conformance, score, elo, rating, place')),
        (rule('for = "luck"\nmost = 3'), snapshot("BadRule: points[1].for is one of builds, conformance, score, elo, rating, place, not 'luck'")),
        (rule('for = "place"'), snapshot('BadRule: points[1].most is missing: a number from 0.001 to 1e+06 points')),
        (rule('for = "place"\nmost = -1'), snapshot('BadRule: points[1].most is a number from 0.001 to 1e+06 points, not -1')),
        (rule('for = "score"\nmost = 1'), snapshot("BadRule: points[1].against is missing: the name of a player, or a built-in bot as 'alphabeta:3'")),
        (rule('for = "score"\nmost = 1\nagainst = "a b"'), snapshot("BadRule: points[1].against is the name of a player, or a built-in bot as 'alphabeta:3', not 'a b'")),
        (rule('for = "place"\nmost = 1\nlast = 3'), snapshot('BadRule: points[1].last is no key of points[1]; these are for, most, full, none, against')),
        (rule('for = "conformance"\nmost = 1\nnone = 1'), snapshot('BadRule: points[1].full is missing: another number than none, at which there are no points')),
        (rule('for = "elo"\nmost = 1\nagainst = "a"\nfull = 1\nnone = 1'), snapshot('BadRule: points[1].full is another number than none, at which there are no points, not 1')),
        (rule('for = "place"\nmost = 1', students='students = ["a b"]\n'), snapshot("BadRule: students is a list of names, each of 1 to 32 letters, digits, and any of _ . - behind the first, not ['a b']")),
        (rule('for = "place"\nmost = 1', students="curve = true\n"), snapshot('BadRule: curve is no key of a rule file; these are students, points')),
    ],
)  # fmt: skip
def test_a_wrong_rule_takes_one_sentence(text: str, words: str) -> None:
    with raises(words):
        read(text)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            b"PK\x03\x04",
            snapshot(
                "BadReport: it is no JSON: JSON is malformed: invalid character (byte 0); grade takes the folder of a contest, its report.json, or a file that --json has written"
            ),
        ),
        (b"[]", snapshot("BadReport: it is no report of arena-bot check --json, arena-bot match --json or a contest")),
        (b'{"report": "check"}', snapshot("BadReport: it is no whole report: Object missing required field `passed`")),
        (match_report("a", "b", 1, status=130), snapshot("BadReport: the match was stopped before its end")),
        (check_report(1, 1), snapshot("BadReport: it does not say whose bot was tested: write NAME=FILE")),
        (
            contest_report().replace(b'"state":"over"', b'"state":"running"'),
            snapshot("BadReport: the contest is not over"),
        ),
    ],
)
def test_what_is_no_report_takes_one_sentence(content: bytes, words: str) -> None:
    with raises(words):
        add_report(Evidence(), content, "")


@pytest.mark.parametrize(
    ("owner", "report", "words"),
    [
        ("ann", check_report(1, 0), snapshot("BadReport: it is the second conformance test of ann")),
        ("", contest_report(), snapshot("BadReport: it is the second contest: one contest can be graded")),
    ],
    ids=["conformance", "contest"],
)
def test_the_same_report_twice_is_refused(owner: str, report: bytes, words: str) -> None:
    evidence = Evidence()
    add_report(evidence, report, owner)
    with raises(words):
        add_report(evidence, report, owner)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the document's rule, but for its contest, and reports of a student."""
    monkeypatch.chdir(tmp_path)
    (text,) = blocks("toml")
    head, *criteria = text.split("[[points]]")
    without_place = [one for one in criteria if 'for = "place"' not in one]
    (tmp_path / "rule.toml").write_text("[[points]]".join([head, *without_place]), encoding="utf-8")
    (tmp_path / "1.json").write_bytes(match_report("ann", "alphabeta-1", *[1] * 9, 0))
    (tmp_path / "2.json").write_bytes(match_report("ann", "alphabeta-2", *[1, 0, 0, 0, 1, 1] * 10))
    (tmp_path / "check.json").write_bytes(check_report(30, 4))
    return tmp_path


def test_the_command_writes_each_format(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {kind: str(folder / f"grades.{kind}") for kind in ("csv", "json")}
    grade(Path("rule.toml"), "1.json", "2.json", "ann=check.json", **names)
    head, line, *others = capsys.readouterr().out.splitlines()
    assert [other.split()[0] for other in others] == ["bob", "carla"]
    assert head.split("  ")[0] == "student" and head.endswith("total of 80")
    with Path(names["csv"]).open(newline="") as file:
        row, *_ = csv.DictReader(file)
    assert row["student"] == "ann" and row["score against alphabeta:1"] == "20.0" and row["most"] == "80.0"
    written = json.loads(Path(names["json"]).read_text())
    student, *_ = written["students"]
    assert line.split()[-1] == f"{student['total']:g}" == f"{float(row['total']):g}"
    assert [grade["why"] for grade in student["grades"]] == snapshot(
        ["30 of 34 situations passed", "9 points in 10 games", "Elo +0 +- 105 from 30 pairs of games, at least -105"]
    )


def test_the_document_shows_what_its_rule_gives() -> None:
    """Two students have handed in reports; a third has only entered the contest."""
    contest = sample_report(3, RoundRobin())
    (stage,) = contest.stages
    table = tuple(
        msgspec.structs.replace(line, place=place, name=name)
        for place, (line, name) in enumerate(zip(stage.table, ("ann", "bob", "carla"), strict=True), 1)
    )
    stage = msgspec.structs.replace(stage, table=table)
    contest = msgspec.structs.replace(contest, entrants=(), stages=(stage,), games=(), comparisons=(), ratings=())
    evidence = Evidence()
    for owner, report in (
        ("ann", check_report(34, 0, 2)),
        ("bob", check_report(31, 3, 2)),
        ("", match_report("ann", "alphabeta-1", *[1] * 37, *[0] * 3)),
        ("", match_report("bob", "alphabeta-1", *[1] * 24, *[0] * 16)),
        ("", match_report("ann", "alphabeta-2", *[1, 1, 1, 0, 0, 1, 0, 0, 1, 0] * 10)),
        ("", msgspec.json.encode(contest)),
    ):
        add_report(evidence, report, owner)
    found = read(blocks("toml")[0])
    assert as_text(found, grade_all(found, evidence)) == blocks("text")[0].splitlines()


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((), {}, snapshot('no report is given: arena-bot grade RULE MATCH.json CONTEST-FOLDER NAME=CHECK.json')),
        (("1.json",), {"csv": "no/g.csv"}, snapshot('--csv: there is no folder no')),
        (("1.json",), {"csv": "-", "json": "-"}, snapshot('--csv and --json cannot both be -, which is stdout')),
        (("3.json",), {}, snapshot('3.json: No such file or directory')),
        (("1.json", "check.json"), {}, snapshot('check.json: it does not say whose bot was tested: write NAME=FILE')),
        (("1.json",), {}, snapshot('rule.toml: points[1] is for conformance, but no report has a result of it')),
    ],
)  # fmt: skip
def test_what_cannot_be_graded_takes_one_line(
    arguments: tuple[str, ...],
    options: dict[str, str],
    words: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(Rejected) as refused:
        grade(Path("rule.toml"), *arguments, **options)
    assert (refused.value.status, str(refused.value)) == (2, words)
    assert capsys.readouterr().out == ""
    assert not list(folder.glob("g.*"))

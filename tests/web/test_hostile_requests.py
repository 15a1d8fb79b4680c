"""Whatever is asked of a route, it is answered, or refused with one clear sentence; the server fails at nothing."""

from urllib.parse import quote

import pytest

from tests.engine.test_record import played
from tests.web.site import Site

NUMBERS = (
    *(
        "0",
        "-1",
        "00017",
        "1e9",
        "0x1",
        "1_0",
        "+1",
        "NaN",
        "null",
        " 1",
        "1.0",
        "٣",
        "\x00",
        "\udcff",
        "../1",
        "1/../2",
    ),
    *("9" * digits for digits in (15, 16, 20, 300, 3900)),
)
PATHS = (
    *("/api/matches/{}", "/api/matches/{}/record", "/api/matches/{}/review", "/live/matches/{}", "/match/{}"),
    *(
        "/contest/{}/report",
        "/contest/{}/games",
        "/api/contests/{}/report.json",
        "/api/contests/1/{}",
        "/contest/{}",
        "/static/{}/site.css",
    ),
)


def refused(site: Site, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> int:
    """Ask; return the status, and hold what was refused against what a refusal has to be."""
    answer = site.ask(path, method, body, **({"content-type": kind} if body is not None else {}))
    asked = (method, path[:100], (body or b"")[:100], answer.status, answer.body[:200])
    assert answer.status < 500, asked
    if answer.status >= 400:
        sentence = answer.json["error"]
        assert sentence and "\n" not in sentence and len(sentence) < 500 and "Traceback" not in sentence, asked
    return answer.status


def test_numbers_in_paths_are_numbers_of_matches_and_contests(site: Site) -> None:
    for path in PATHS:
        for number in NUMBERS if path in (PATHS[0], PATHS[5]) else NUMBERS[::8]:
            target = path.format(quote(number, safe="", errors="surrogateescape"))
            assert refused(site, "GET", target) == 404, target


def test_a_list_of_matches_is_asked_for_in_words_that_are_understood(site: Site) -> None:
    for number in NUMBERS:
        status = refused(site, "GET", f"/api/matches?before={quote(number, errors='surrogateescape')}")
        assert status == (200 if number.isdecimal() and number.isascii() and len(number) < 16 else 400), number
    for name in ("", "x" * 3000, "\x00", "%ff", "<b>", "İ"):
        assert refused(site, "GET", f"/api/matches?name={quote(name)}") == 200


DEEP = b"[" * 20_000 + b"]" * 20_000

QUESTIONS = (
    *(b"", b"null", b"[]", b"{", b"0", b'"x"', b"\xff", b"\x00", DEEP, b'{"a":' * 9_000 + b"1" + b"}" * 9_000),
    *(b'{"game":%b}' % value for value in (b"1", b"null", b'"chess"', b'""', b'"\\u0000"', b'"\\ud800"', DEEP)),
    b'{"game":"gipf","other":' + DEEP + b"}",
    *(
        b'{"game":"gipf","%b":%b}' % (key, value)
        for key in (b"parameters", b"start", b"moves", b"chosen")
        for value in (
            *(b"1", b"true", b"{}", b"[1]", b'[""]', b'["\\u0000"]', b'"\\u0000"', b'"\\ud800"', b'"\xff"', b"[null]"),
            *(b'"' + b"x" * 60_000 + b'"', b"[" + b'"a",' * 1000 + b'"a"]', b'["' + b"9" * 401 + b'"]'),
        )
    ),
)
SECONDS = (b"NaN", b"Infinity", b"-1", b"1e999", b"1e-400", b"true", b'"1"', b"null", b"0", b"9" * 5000, b"10.0001")


@pytest.mark.slow
def test_questions_about_games_are_read_whatever_they_are(site: Site) -> None:
    for question in QUESTIONS:
        assert refused(site, "POST", "/api/play/rows", question) == 400, question[:80]
    assert refused(site, "POST", "/api/play/think", b'{"game":"gipf","other":' + DEEP + b"}") == 400
    for seconds in SECONDS:
        assert refused(site, "POST", "/api/play/think", b'{"game":"mnk","seconds":%b}' % seconds) == 400, seconds[:80]


@pytest.mark.slow
def test_records_are_read_whatever_their_numbers_are(site: Site) -> None:
    record = played(stop_after=3, end="resign")
    lines = record.splitlines()
    bad = [record.encode() + b"\x00", b"\n" * 1_000_000, b"x" * 2_000_000]
    for at, line in enumerate(lines):
        name, _, rest = line.partition(" ")
        if any(character.isdecimal() for character in rest) and name in ("match", "parameters", "budget", "move", "|"):
            for number in ("9" * 5000, "-1", "٣", "NaN"):
                changed = f"{name} {number} {rest.partition(' ')[2]}".strip()
                bad.append("\n".join([*lines[:at], changed, *lines[at + 1 :], ""]).encode())
    few = [*bad[:3], *bad[3::7]]  # each is read by a process of its own
    for text in few:
        assert refused(site, "POST", "/api/record", text, "text/plain") in (422, 413), text[:200]
    assert refused(site, "POST", "/api/review", bad[4], "text/plain") == 422

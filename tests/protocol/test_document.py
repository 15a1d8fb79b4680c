"""The tables of protocol.md and docs/records.md against the code."""

import re
from importlib import import_module

import pytest

from bots.check.bot_under_test import TITLES
from engine.games.catalogue import GAMES
from engine.games.interface import ANNULLED, Termination
from engine.match import record, verification
from engine.match.clock import STANDING, Clock, TimeControl
from engine.wire import coding, messages as m
from engine.wire.coding import decode, usage
from engine.wire.ends import ALLOWED, NEXT, SessionState
from engine.wire.fields import NOTE_KEYS, SEEK_KEYS
from engine.wire.messages import KINDS, MICROSECONDS, REPLIES, REQUESTS, VERSION, Code
from engine.wire.words import NAME_PATTERN, word_of
from server.arena import session
from server.config import settings
from server.storage import player_logs
from tests.protocol.running import DOCUMENT
from tests.protocol.transcripts import DOCUMENTS, HEARD, read

TEXT = DOCUMENT.read_text(encoding="utf-8")
ROOT = DOCUMENT.parent
RECORDS = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
DEFAULTS = settings.Settings()


def table(*head: str, text: str = TEXT) -> list[list[str]]:
    """Return the rows of the only table with this head, without the marks of code."""
    wanted = f"| {' | '.join(head)} |\n"
    assert text.count(wanted) == 1, f"{text.count(wanted)} tables have the head {wanted}"
    behind = text.partition(wanted)[2].splitlines()[1:]
    rows = []
    for line in behind:
        if not line.startswith("|"):
            break
        cells = re.split(r"(?<!\\)\|", line)[1:-1]
        rows.append([cell.strip().replace("\\|", "|") for cell in cells])
    assert all(len(row) == len(head) for row in rows)
    return rows


def code(cell: str) -> str:
    """Return what a cell shows as code."""
    found = re.fullmatch(r"`(.*)`", cell)
    assert found, f"{cell} is not shown as code"
    return found[1]


def test_version() -> None:
    assert f"It describes version {VERSION}." in TEXT


def test_what_may_be_said_in_each_state() -> None:
    assert "PING, PONG, HELP and QUIT are allowed in each state but *closed*" in TEXT
    always = {REQUESTS[kind] for kind in ("PING", "PONG", "HELP", "QUIT")}
    shown: dict[SessionState, frozenset[type]] = {SessionState.CLOSED: frozenset()}
    for state, _, allowed in table("state", "meaning", "the client may send"):
        if state != SessionState.CLOSED:
            shown[SessionState(state)] = frozenset({REQUESTS[kind] for kind in allowed.split(", ")} | always)
    assert shown == ALLOWED


def test_what_changes_a_state() -> None:
    shown = {}
    for states, kind, by, following in table("in state", "message", "sent by", "next state"):
        message = {"client": REQUESTS, "server": REPLIES}[by][kind]
        for each in SessionState if states == "every state" else map(SessionState, states.split(", ")):
            assert (each, message) not in shown
            shown[each, message] = SessionState(following)
    assert shown == NEXT


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (("request", "meaning", "answer"), [usage(request) for request in REQUESTS.values()]),
        (("code", "meaning", "what to do"), list(Code)),
        (("field of a note", "value"), list(NOTE_KEYS)),
    ],
)
def test_tables_of_requests_codes_and_fields(head: tuple[str, ...], known: list[str]) -> None:
    assert [code(row[0]) for row in table(*head)] == known


def test_replies_and_their_examples() -> None:
    rows = table("message", "sent to", "example")
    assert sorted(code(row[0]) for row in rows) == sorted(usage(reply) for reply in REPLIES.values())
    for row in rows:
        message, _ = decode(code(row[2]), REPLIES)
        assert KINDS[type(message)] == code(row[0]).split()[0]
        assert f"{coding.encode(message).decode()}".split()[0] == code(row[2]).split()[0]


def test_blocks() -> None:
    shown = {code(row[0]) for row in table("block", "content")}
    assert shown == {kind for kind, reply in REPLIES.items() if "lines" in reply._fields}  # type: ignore[attr-defined]


def test_reasons_of_bye() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "server").rglob("*.py"))
    said = set(re.findall(r"(?:\.close\(|Bye\()\s*\"(\w+)\"", sources))
    assert {code(row[0]) for row in table("reason", "why")} == said
    assert f"{settings.ERRORS} lines of this session" in dict(table("reason", "why"))["`errors`"]
    assert f"{DEFAULTS.most_sessions} connections are open" in dict(table("reason", "why"))["`too_many`"]


def test_results() -> None:
    rows = {reason: row[1] for row in table("reason", "result", "when") for reason in re.findall("`([a-z_]+)`", row[0])}
    endings = [import_module(f"engine.games.{name}.position").Ending for name in GAMES]
    assert set(rows) == {*map(str, Termination), *(str(end) for game in endings for end in game)}
    assert {reason for reason, result in rows.items() if result == "`annulled`"} == set(map(str, ANNULLED))


def test_options_of_seek() -> None:
    rows = {code(row[0]): row[1] for row in table("option", "value", "when left out")}
    assert tuple(rows) == SEEK_KEYS
    least, most = settings.MIN_BUDGET // MICROSECONDS, settings.MAX_BUDGET // MICROSECONDS
    assert rows["budget"].endswith(f", {least} to {most}")
    assert rows["increment"].endswith(f", 0 to {most}")


def test_lines_of_a_record() -> None:
    shown = {word for row in table("line", "meaning", text=RECORDS) for word in re.findall(r"`([a-z-]+)", row[0])}
    start = GAMES["gipf"].start("4 4 15 15")
    header = record.Header(17, start, ("alice", "bob"), TimeControl(1, 0), 1000, "server", "date", lag_allowance=1)
    headers = {line.split()[0] for line in header.text().splitlines() if not line.startswith("|")}
    events = set(verification.EVENTS)
    assert headers | events <= shown
    assert shown <= headers | events | {"arena-record", "parameters", "position", "white", "black"}


LIMITS = {
    "log of a side": 2 * player_logs.SENT_BYTES,
    "waiting for a peer that does not read": settings.OUTBOX_BYTES,
    f"time to take {settings.WRITE_BYTES} bytes of what waits": int(settings.WRITE_SECONDS),
    "connections of an address": DEFAULTS.limits.connections,
    "new connections of an address": DEFAULTS.limits.connects,
    "messages of a session": DEFAULTS.limits.messages,
    "messages of an address": DEFAULTS.limits.messages_of_address,
    "a long answer": settings.ANSWER_BYTES,
    "a slow answer": settings.WORK,
    "`SEEK`": settings.SEEK_COST,
    "a flood": int(DEFAULTS.limits.flood_seconds),
    "sessions of an address that seek or play": DEFAULTS.limits.matches,
    "running matches": DEFAULTS.most_matches,
}


def test_limits() -> None:
    assert {row[0]: int(row[1]) for row in table("limit", "value", "unit", "reason")} == LIMITS


@pytest.mark.parametrize(
    "sentence",
    [
        f"port {m.PORT} by default",
        f"1 to {1 + int(NAME_PATTERN.rpartition(',')[2].rstrip('}'))} ASCII letters",
        f"A line has at most {coding.REQUEST_BYTES} bytes",
        f"lines of up to {coding.REPLY_BYTES} bytes",
        f"1*{coding.MAX_DIGITS}DIGIT",
        f"and {DEFAULTS.limits.connects_at_once} at once",
        f"up to {DEFAULTS.limits.messages_at_once} at once; a new session begins with {settings.FIRST_MESSAGES}",
        f"or {DEFAULTS.limits.matches} sessions of your address",
        f"have said nothing for {DEFAULTS.limits.guest_seconds:g} seconds",
        f"had no end for {DEFAULTS.limits.line_seconds:g} seconds",
        f"least {settings.PLAYING_MESSAGES} messages a second are always read",
        f"has to be done within {session.HANDSHAKE_SECONDS:g} seconds",
        f"than {settings.WRITE_BYTES} bytes of answers",
        f"more than {settings.REQUESTS_PER_TURN} times since the last `TURN`",
        f"more than {settings.LISTED_MOVES} moves are legal",
        f"while {DEFAULTS.most_matches} matches are running",
        f"counts towards the {settings.ERRORS} after which",
        f"the server's: {DEFAULTS.move_limit}, unless",
        f"those of the server: {DEFAULTS.control.budget // MICROSECONDS} and 0, unless",
        f"each be asked for {settings.REQUESTS_PER_TURN} times",
        f"the last {settings.RECENT_MATCHES} that ended",
        f"for {DEFAULTS.return_seconds:g} seconds",
        f"the last {settings.RECENT_MATCHES} matches",
        f"within {session.HANDSHAKE_SECONDS:g} seconds",
        f"a player may send {record.MAX_NOTES_PER_MOVE} notes",
        f"have {record.MAX_NOTE_BYTES}\n  bytes at most",
    ],
)
def test_limits_in_sentences(sentence: str) -> None:
    assert sentence in TEXT


def test_sections_of_the_rules() -> None:
    rules = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    referred = {
        number
        for rest in re.findall(r"\(docs/rules\.md\), (1\.[0-9.]*[0-9](?: and 1\.[0-9.]*[0-9])?)", TEXT)
        for number in rest.split(" and ")
    }
    referred |= {number for row in games() for number in row[1].partition(": ")[2].split(", ")}
    assert len(referred) >= 5
    for number in referred:
        assert re.search(rf"^#+ {re.escape(number)}\.? ", rules, re.MULTILINE), number


def games() -> list[list[str]]:
    return table("game", "rules, moves, positions", "sides", "params", "usual", "a move")


def test_games() -> None:
    assert [code(row[0]) for row in games()] == list(GAMES)
    for row, game in zip(games(), GAMES.values(), strict=True):
        assert row[2] == f"`{game.sides[0]}`, `{game.sides[1]}`"
        assert code(row[4]) == word_of(game.default_parameters)


def test_the_example_of_clocks() -> None:
    control = re.search(r"the budget is (\d+) ms and the increment is (\d+) ms", TEXT)
    assert control
    clock = Clock.full(TimeControl.of_milliseconds(int(control[1]), int(control[2])))
    rows = table("time", "event", "alice", "bob", "messages")
    for time, event, alice, bob, messages in rows:
        now = int(time) * MICROSECONDS
        clock = after(clock, event, now)
        first, second = clock.milliseconds(now)
        assert [f"{first}", f"{second}"] == [alice, bob]
        for line in re.findall(r"`([^`]*)`", messages):
            message, _ = decode(line, REPLIES)
            if isinstance(message, m.Turn):
                own_first = (first, second) if clock.since[1] is None else (second, first)
                assert (message.yours, message.theirs) == own_first
            else:
                assert isinstance(message, m.Start | m.Moved)
                assert (message.first, message.second) == (first, second)
    flag = clock.deadline()
    assert len(rows) == 5 and flag is not None
    assert f"arrives before the time {flag // MICROSECONDS}, " in TEXT


def after(clock: Clock, event: str, now: int) -> Clock:
    """Return the clocks after an event of the example, where alice is the side that begins."""
    kind, _, player = event.partition(" of ")
    if code(kind) == "MATCH":
        return clock.run(0, now).run(1, now)
    side = ("alice", "bob").index(player)
    clock = clock.stop(side, now)
    if code(kind) == "MOVE":
        return clock.add_increment(side).run(1 - side, now)
    return clock.run(0, now) if clock.since == STANDING else clock


def test_what_the_server_says_to_mistakes_stands_in_a_transcript() -> None:
    transcripts = [each for path in DOCUMENTS for each in read(path.read_text(encoding="utf-8"))]
    heard = [found["line"] for each in transcripts for line in each.lines if (found := HEARD.fullmatch(line))]
    rows = table("mistake", "what the server does", "what is right")
    said = [line for row in rows for line in re.findall(r"`((?:ERROR|RESULT|BYE) \S+ [^`]*)`", row[1])]
    assert len(said) >= 10
    for line in said:
        beginning = line.partition("…")[0]
        assert any(each.startswith(beginning) for each in heard), line


def test_sections_that_the_conformance_test_refers_to() -> None:
    for number, title in TITLES.items():
        assert re.search(rf"^#+ {re.escape(number)}\.? {re.escape(title)}$", TEXT, re.MULTILINE), f"{number} {title}"

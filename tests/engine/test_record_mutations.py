"""Records changed systematically: whatever is no longer true is refused with its line, and nothing else is.

A change either makes a record untrue or makes it another true one. `ANOTHER_TRUTH` lists the second kind, each with its
reason. Any other change has to be refused. The rules of the games decide here too, but nothing of `engine.match` does.
With ARENA_CAMPAIGN=1 every place of every record is changed in every way; else every place in one way, or in a few.
"""

from collections.abc import Callable
from itertools import takewhile

import pytest

from engine.games.catalogue import GAMES
from engine.games.interface import ANNULLED, ENDED_PROGRAM, Termination
from engine.match.clock import about
from engine.match.record import BadRecord, seconds_of
from engine.match.verification import Summary, verify
from tests.engine.record_changes import STAMPS, Change, game_of, is_canonical, joined, moved, number, replaced, words_of
from tests.engine.records import records

RECORDS = records()


# What makes another true record


def same_end(change: Change) -> bool:
    """Tell whether the changed moves, limit or board come to the same end as before."""
    before, after = game_of(joined(change.before)), game_of(joined(change.after))
    return before is not None and after is not None and before.verdict == after.verdict


def told_by_the_server(change: Change) -> bool:
    """Players, match number, server and start time follow from nothing else in the record."""
    if change.word < 0:
        return False
    kind, value = change.old[0], change.new[1]
    if kind == "match":
        return change.word == 1 and is_canonical(value) and value.isdigit()
    if kind == "server":
        return change.word >= 1
    if kind == "started":
        return change.word == 1 and seconds_of(change.new[1]) is not None
    return change.at in (4, 5) and change.word == 1 and not _is_named(change)


def _is_named(change: Change) -> bool:
    """Tell whether the sentence of the result names the player, whose name was changed."""
    return f"{change.old[1]} ({change.old[0]})" in change.before[-1]


def unused_bound(change: Change) -> bool:
    """A limit that is not reached, an increment that nobody earned, an allowance beyond what was ever taken."""
    if change.word != 1 or not is_canonical(change.new[1]) or change.new[1].startswith("-"):
        return False
    kind, value = change.old[0], change.new[1]
    if kind == "move-limit":
        return "." not in value and same_end(change)
    if kind == "increment":
        return "." in value and not words_of(change.before, "move")
    most = max((number(words[2]) for words in words_of(change.before, "lag")), default=0)
    return kind == "lag-allowance" and "." in value and number(value) > 0 and most <= number(value)


def another_game(change: Change) -> bool:
    """Another legal move, or first position, after which the same moves are legal and the end is the same."""
    kind = change.old[0]
    return ((kind == "move" and change.word == 6) or (kind == "|" and change.word > 0)) and same_end(change)


def moment_that_no_clock_knows(change: Change) -> bool:
    """When a connection was lost or back, the server restarted, or clocks that stand were annulled: between others."""
    kind = change.old[0]
    if change.word < 0 or change.word not in STAMPS.get(kind, ()) or not is_canonical(change.new[change.word]):
        return False
    if "." not in change.new[change.word] or not (kind in ("gone", "back", "restarted") or _standing_end(change)):
        return False
    if kind == "gone" and _missed_at_the_end(change):
        fell = number(change.before[-1].split(" ")[3])
        if not change.before[-1].endswith(f"lost for {about(fell - number(change.new[2]))}"):
            return False
    earliest, latest = _between(change.before, change.at)
    return earliest <= number(change.new[change.word]) <= latest


def _missed_at_the_end(change: Change) -> bool:
    """Tell whether a line says since when a side, which lost on time then, had or had no connection."""
    kind, side = change.old[0], change.old[1]
    later = [line.split(" ") for line in change.before[change.at + 1 :]]
    if any(words[0] == "restarted" or (words[0] in ("gone", "back") and words[1] == side) for words in later):
        return False
    return kind in ("gone", "back") and f"({side}) ran out of time" in change.before[-1]


def _standing_end(change: Change) -> bool:
    words = change.old
    stand = len(words_of(change.before, "ready")) == 2 and not words_of(change.before, "unanswered")
    return words[0] == "result" and words[2] in ANNULLED and stand


def _between(lines: list[str], at: int) -> tuple[int, int]:
    """Return after and before which stamps that of a connection or restart has to lie."""
    earliest = max((stamp for line in lines[:at] for stamp in _stamps(line)), default=0)
    latest, stopped = 10**18, lines[at].startswith("restarted ")
    for line in lines[at + 1 :]:
        words = line.split(" ")
        if words[0] in ("gone", "back", "restarted", "runs") or (words[0] == "result" and words[2] in _NOW):
            latest = min(latest, _stamps(line)[0])  # stamped when it is written
        if words[0] == "stall" and not stopped:
            latest = min(latest, _stamps(line)[0])
        if words[0] in ("move", "unanswered", "refused", "ready", "resigned", "result") and stopped:
            latest = min(latest, _stamps(line)[0])
        stopped = stopped or words[0] in ("move", "ready")  # the next TURN is sent after that
    return earliest, latest


_NOW = {Termination.CRASHED, Termination.ADJUDICATED, Termination.ORGANISER, Termination.SERVER_STOP}
"""Reasons of results that are stamped when they are written."""


def _stamps(line: str) -> list[int]:
    words = line.split(" ")
    return [number(words[place]) for place in STAMPS.get(words[0], ())]


def within_the_allowance(change: Change) -> bool:
    """A turn no longer than the lag that is taken off costs nothing, however long it was."""
    if change.old[0] != "move" or change.word not in (3, 4) or not is_canonical(change.new[change.word]):
        return False
    if "." not in change.new[change.word]:
        return False
    side = change.old[2]
    allowed = [number(words[2]) for words in words_of(change.before[: change.at], "lag") if words[1] == side]
    sent, received = number(change.new[3]), number(change.new[4])
    after = [stamp for line in change.before[change.at + 1 :] for stamp in _stamps(line)]
    before = [stamp for line in change.before[: change.at] for stamp in _stamps(line)]
    own = number(change.old[4]) - number(change.old[3])
    return (
        bool(allowed)
        and own <= allowed[-1]
        and max(before) <= sent <= received <= sent + allowed[-1]
        and (received <= min(after))
    )


def other_judge(change: Change) -> bool:
    """The record has no evidence for adjudications and causes of annulments or program failures."""
    kind, *said = change.old
    if kind != "result" or change.word not in (1, 2):
        return False
    result, reason = change.new[1], change.new[2]
    ready = len(words_of(change.before, "ready")) == 2
    if said[1] == Termination.ADJUDICATED:
        return reason == said[1] and result in (*GAMES["mnk"].sides, "draw")
    if said[1] in ANNULLED:
        return reason in ANNULLED and result == said[0]
    if words_of(change.before, "crashed"):
        return False
    if reason == Termination.ADJUDICATED:
        return said[1] in ENDED_PROGRAM and ready and result == said[0]
    return said[1] in ENDED_PROGRAM and reason in ENDED_PROGRAM and result == said[0]


def wording(change: Change) -> bool:
    """The words of the server or an organiser, where no move and nothing that a player did is the reason."""
    if change.old[0] != "result" or change.word < 6 or words_of(change.before, "crashed"):
        return False
    named = change.old[2] in ENDED_PROGRAM and change.word < 8  # who has lost
    return change.old[2] in (*ANNULLED, *ENDED_PROGRAM, Termination.ADJUDICATED) and not named


ACTIONS = ("ready", "move", "refused", "resigned", "gone", "back", "note")
"""Events that need a connection, or that report its loss or return."""


def unseen_line(change: Change) -> bool:
    """A line that changes nothing behind it was left out: a connection lost for good, the server's last death."""
    if change.word != -1 or len(change.after) != len(change.before) - 1:
        return False
    kind, *rest = change.old
    later = [line.split(" ") for line in change.before[change.at + 1 :]]
    if kind == "result":
        return True  # then the match is still running
    if kind == "lag-allowance":
        return not words_of(change.before, "lag")
    if kind in ("gone", "back"):
        same = list(takewhile(lambda words: words[0] != "restarted", later))  # then all connections are lost anyway
        acts = any(rest[0] in words[1:3] and words[0] in ACTIONS for words in same)
        return not acts and "crashed" not in change.before[-1] and not _missed_at_the_end(change)
    return False


def twice_dead(change: Change) -> bool:
    """A server that dies as soon as it has started restarts at the same stamp again."""
    return len(change.after) == len(change.before) + 1 and change.before[change.at - 1].startswith("restarted ")


def either_first(change: Change) -> bool:
    """Two lines changed places of which neither had to wait for the other."""
    if change.word != -1 or len(change.after) != len(change.before):
        return False
    first, second = change.old, change.new
    kinds = {first[0], second[0]}
    if kinds == {"ready"}:
        return True  # both clocks run, each on its own
    presence = {"gone", "back"}
    if kinds <= presence:
        return first[2] == second[2] and first[1] != second[1]
    if not kinds & presence or not kinds & {"move", "ready"}:
        return False
    seen, other = (first, second) if first[0] in presence else (second, first)
    side = other[2] if other[0] == "move" else other[1]
    stamp, came = number(seen[2]), max(_stamps(" ".join(other)))
    if side == seen[1]:
        return False
    if seen is first:  # it stands behind the other line then, and was noticed after it came
        return came <= stamp
    later = [line for line in change.before[change.at + 2 :] if line.split(" ")[0] in ("move", "unanswered", "refused")]
    return not later or stamp <= _stamps(later[0])[0]


def noted_otherwise(change: Change) -> bool:
    """Other words, or another move, in a note; a note that is missing, doubled, or stands where it may have come."""
    if change.word >= 0:
        if change.old[0] != "note" or change.word == 0 or not notes_stand_right(change.after):
            return False
        key, _, value = change.new[change.word].partition("=")
        in_text = any(word.startswith("text=") for word in change.old[3 : change.word])
        said_otherwise = in_text or (key in ("text", "pv") and value != "")
        return said_otherwise if change.word > 2 else is_canonical(change.new[change.word])
    if len(change.after) < len(change.before):
        return change.old[0] == "note"
    if len(change.after) > len(change.before):
        return change.new[0] == "note"
    return "note" in (change.old[0], change.new[0]) and notes_stand_right(change.after)


def notes_stand_right(lines: list[str]) -> bool:
    """Tell whether each note is about a move that its player has made or makes next, and comes while it can."""
    sides = [line.split(" ")[0] for line in lines[4:6]]
    plies, gone, before, game = 0, set[str](), "", game_of(joined(lines))
    over = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        kind, *words = line.split(" ")
        if kind == "move":
            plies += 1
            over = game is not None and game.verdict is not None and plies == game.history.plies
        elif kind == "gone":
            gone.add(words[0])
        elif kind == "back":
            gone.discard(words[0])
        elif kind == "restarted":
            gone.update(sides)
        elif kind in ("refused", "resigned", "unanswered", "result"):
            over = True
        elif kind == "note":
            latest = plies + (1 if words[1] == sides[plies % 2] else 2)
            own = words[0].isdigit() and 1 <= int(words[0]) <= latest and (latest - int(words[0])) % 2 == 0
            if not own or over or words[1] in gone or before == "lag" or following.startswith("|"):
                return False
        before = kind
    return True


ANOTHER_TRUTH: dict[Callable[[Change], bool], str] = {
    told_by_the_server: "match white black server started",
    unused_bound: "limit control allowance",
    another_game: "position moves",
    moment_that_no_clock_knows: "latest stamp",
    within_the_allowance: "charges latest stamp",
    other_judge: "result reason",
    wording: "sentence",
    unseen_line: "gone latest stamp left allowance result reason sentence",
    twice_dead: "",
    either_first: "charges",
    noted_otherwise: "notes",
}
"""Changes that make another true record, with all values of `said` that may differ."""


def said(summary: Summary) -> dict[str, object]:
    """Return what a reader takes from a record."""
    header = summary.header
    white, black = header.players
    return {
        "match": str(header.match), "white": white, "black": black, "server": header.server, "started": header.started,
        "limit": str(header.move_limit), "control": header.control, "allowance": header.lag_allowance,
        "position": header.position.text(), "moves": summary.history.moves, "left": summary.left,
        "stamp": summary.state.stamp, "latest": summary.latest, "gone": summary.state.gone, "heard": summary.heard,
        "notes": summary.state.notes, "result": summary.result, "reason": summary.reason, "sentence": summary.sentence,
        "charges": [(played.side, played.charge) for played in (*summary.initialised, *summary.played)],
    }  # fmt: skip


def hold(change: Change) -> bool:
    """Hold a change against what is expected of it; return whether it had to be refused."""
    why = [truth for truth in ANOTHER_TRUTH if truth(change)]
    text = joined(change.after)
    if not why:
        earliest = change.at + 1
        if change.at < 6 or "|" in (change.old[0], change.new[0]):
            earliest = min(earliest, 4)  # the board is read as a whole, and says the parameters
        with pytest.raises(BadRecord) as refused:
            raise_if_true(text, change)
        assert refused.value.line >= earliest, f"{refused.value}: {change}"
        return True
    (truth,) = why
    try:
        after = said(verify(text))
    except BadRecord as error:
        raise AssertionError(f"{error}, though it is true by {truth.__name__}: {change}") from None
    before = said(verify(joined(change.before)))
    differ = {key for key in before if before[key] != after[key]}
    assert differ <= set(ANOTHER_TRUTH[truth].split()), f"{differ} by {truth.__name__}: {change}"
    if change.word >= 0 and truth is not moment_that_no_clock_knows:
        assert differ, f"nothing else is said: {change}"
    if truth is told_by_the_server:
        (key,) = differ
        assert after[key] == change.after[change.at].partition(" ")[2]
    return False


def raise_if_true(text: str, change: Change) -> None:
    verify(text)
    raise AssertionError(f"verified: {change}")


@pytest.mark.parametrize("name", RECORDS)
def test_records_of_the_referee_are_true(name: str) -> None:
    summary = verify(RECORDS[name])
    sides = summary.header.position.game.sides
    assert summary.result and summary.reason
    assert summary.winner == (sides.index(summary.result) if summary.result in sides else None)


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=[pytest.mark.slow("interpreted"), pytest.mark.thorough])])
@pytest.mark.parametrize("name", RECORDS)
def test_whatever_is_no_longer_true_is_refused(name: str, step: int) -> None:
    """Try all changes of events, and some changes of the header, which all records have."""
    lines = RECORDS[name].splitlines()
    header = max(at for at, line in enumerate(lines) if line.startswith("| "))
    changes = enumerate([*replaced(lines), *moved(lines)])
    assert sum(hold(change) for number, change in changes if change.at > header or number % step == 0) > 100 // step


def test_no_line_has_a_blank_at_its_end() -> None:
    lines = RECORDS["restart"].splitlines()
    for at, line in enumerate(lines):
        with pytest.raises(BadRecord) as refused:
            verify(joined([*lines[:at], f"{line} ", *lines[at + 1 :]]))
        assert refused.value.line == at + 1 or lines[at].startswith("parameters")

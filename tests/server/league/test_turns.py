"""The order in which versions are tried, on paper: authors in turn, one version of each at a time."""

from datetime import UTC, datetime

from server.league.submissions.pipeline import Turns
from server.league.submissions.versions import State, Version

DATE = datetime(2026, 11, 23, tzinfo=UTC)

ANN, BOB, CAT = 1, 2, 3


def version(number: int, owner: int, state: State = "waiting") -> Version:
    return Version(number, f"bot-{owner}", number, DATE, "bot.py", "", state, "", (), owner)


def order(sent: list[Version]) -> list[int]:
    """Return the order in which versions are tried, one at a time."""
    turns, found, left = Turns(), [], list(sent)
    while (one := turns.next(left)) is not None:
        turns.begin(one)
        turns.end(one)
        left.remove(one)
        found.append(one.id)
    return found


def test_the_second_upload_of_an_author_waits_behind_the_first_ones_of_others() -> None:
    sent = [version(1, ANN), version(2, ANN), version(3, ANN), version(4, BOB), version(5, CAT), version(6, BOB)]
    assert order(sent) == [1, 4, 5, 2, 6, 3]
    assert order([*sent, version(7, 9)]) == [1, 4, 5, 7, 2, 6, 3]


def test_who_sends_all_the_time_lets_nobody_wait_for_ever() -> None:
    turns, left, served = Turns(), [version(1, ANN), version(2, BOB)], []
    for number in range(3, 9):
        found = turns.next(left)
        assert found is not None
        turns.begin(found)
        turns.end(found)
        served.append(found.owner)
        left = [one for one in left if one != found] + [version(number, ANN)]
    assert served == [ANN, BOB, ANN, ANN, ANN, ANN]


def test_one_version_of_an_author_is_tried_at_a_time_so_that_they_play_in_order() -> None:
    turns = Turns(at_once=2)
    ann, again, bob = version(1, ANN), version(2, ANN), version(3, BOB)
    sent = [ann, again, bob]
    assert turns.next(sent) == ann
    turns.begin(ann)
    assert turns.next([ann, again]) is None, "there is room, but it has to wait"
    assert turns.next(sent) == bob
    turns.begin(bob)
    assert turns.next([*sent, version(4, CAT)]) is None, "there is no room"
    turns.end(ann)
    assert turns.next([again, bob]) == again


def test_what_an_earlier_server_has_begun_comes_first() -> None:
    assert order([version(1, ANN), version(2, BOB, "checking")]) == [2, 1]

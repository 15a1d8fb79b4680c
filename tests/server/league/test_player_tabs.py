"""The tabs of a player: everybody sees games and the ladder, the author and organisers see versions."""

from pathlib import Path

from engine.statistics.online import LadderPlayer
from server.league.accounts import ORGANISER, Accounts
from server.league.ladder.store import LadderStore
from server.league.pages.bot_pages import player_tabs
from server.league.pages.forms import Identity
from tests.server.league.people import person


def test_the_tabs_of_a_player_are_pages_that_the_reader_may_open(accounts: Accounts, tmp_path: Path) -> None:
    ann, bob = person(accounts, "ann", "ann-1"), person(accounts, "bob")
    teacher = person(accounts, "teacher", role=ORGANISER)
    store = LadderStore(accounts, tmp_path)
    games, versions = {"/player/ann-1": "Games"}, {"/bots/ann-1": "Versions"}
    assert player_tabs(accounts, None, "ann-1", None) == games
    assert player_tabs(accounts, store, "ann-1", None) == games, "it is not on the ladder yet"
    players = {"ann-1": LadderPlayer("ann-1", "ann")}
    store.seat(players["ann-1"], 1, players)
    rated = games | {"/ladder/ann-1": "Ladder"}
    for reader, tabs in ((None, rated), (bob, rated), (ann, rated | versions), (teacher, rated | versions)):
        identity = None if reader is None else Identity(reader, "", "")
        assert player_tabs(accounts, store, "ann-1", identity) == tabs, reader
    assert player_tabs(accounts, store, "a/b", None) == {"/player/a%2Fb": "Games"}

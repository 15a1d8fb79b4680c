"""Active versions of bots are compared under the names of their bots."""

from contextlib import closing
from pathlib import Path

import trio
import trio.testing

from server.league.accounts.accounts import Accounts
from server.league.accounts.people import AUTHOR
from server.league.similarity import Similarity
from server.league.submissions.versions import BUILD, Versions

COPIED = """
def weight(board, place):
    total = 0
    for step in (-7, -1, 1, 7):
        near = place + step
        while 0 <= near < len(board) and board[near] == board[place]:
            total += 3 if board[near] > 2 else board[near] * 2
            near += step
    return total - sum(one for one in board if one % 5 == 2)
"""
OTHER = "import sys\nfor line in sys.stdin:\n    print(line.upper().strip() or 'pass', flush=True)\n"


def test_active_versions_are_compared(tmp_path: Path) -> None:
    with closing(Accounts(tmp_path)) as accounts:
        versions = Versions(tmp_path, accounts)
        similarity = Similarity(tmp_path, versions)
        accounts.redeem(accounts.invite("ann", AUTHOR, "test"), "", "")
        ann = accounts.person("ann")
        assert ann is not None

        def compare() -> str:
            async def main() -> None:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(similarity.run)
                    similarity.ask()
                    await trio.testing.wait_all_tasks_blocked()
                    while similarity.is_running:
                        await trio.sleep(0.02)
                    nursery.cancel_scope.cancel()

            trio.run(main)
            return similarity.fault

        assert compare() == "there are no two bots with versions that play" and similarity.last() is None
        for bot, source in (("one", COPIED), ("two", COPIED.replace("weight", "value")), ("three", OTHER)):
            accounts.make_token(ann, bot)
            version = versions.add(ann, bot, "bot.py", b"")
            (versions.folder(version) / BUILD).mkdir()
            (versions.folder(version) / BUILD / "bot.py").write_text(source)
            versions.go_on(version, "qualifying")
            versions.activate(version, "the server")
        assert compare() == ""
    last, places = similarity.last(), similarity.places()
    assert last is not None and places is not None and b"weight" in places
    assert [(pair.one, pair.other, pair.part) for pair in last.pairs] == [("one", "two", 1.0)]

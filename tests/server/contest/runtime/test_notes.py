"""Notes of entrants: those of programs on pipes stand in their records, and a contest file says when they are seen."""

import sys
from pathlib import Path

import pytest
import trio

from engine.match import verification
from engine.wire import messages as m
from tests.server.contest.runtime.bots import SANDBOX, running_contest, seeking, wait_until_over
from tests.server.harness import ArenaHarness
from tests.waiting import WAIT_SECONDS

FILE = """{sandbox}name = "notes"
time = {{ budget = 60_000 }}
{live}
entrants = [{entrants}]
games = [{{ game = "mnk", params = "3 3 3" }}]
stages = [{{ format = "round-robin" }}]
"""

NOTER = """
import sys
for line in sys.stdin:
    if line.startswith("MATCH"): print("READY", flush=True)
    elif line.startswith("TURN"): print("NOTE depth=1 text=by pipe\\nNOTE depth=deep\\nMOVES", flush=True)
    elif line.startswith("MOVES"): print("MOVE", next(sys.stdin)[2:].strip(), flush=True)
    elif line.startswith("RESULT"): break
"""


async def test_a_program_on_pipes_notes_in_its_record(tmp_path: Path) -> None:
    program = tmp_path / "noter.py"
    program.write_text(NOTER, encoding="utf-8")
    entrants = ", ".join(f'{{ name = "{name}", command = ["{sys.executable}", "{program}"] }}' for name in ("p1", "p2"))
    file = FILE.format(sandbox=SANDBOX, live="cores = 2", entrants=entrants)
    async with running_contest(tmp_path / "data", file) as (harness, store, contest):
        games = await wait_until_over(store, contest)
        assert [game.termination for game in games] == ["line"] * 2
        for number in (1, 2):
            summary = verification.verify(harness.arena.record_store.read(number) or "")
            assert [note.ply for note in summary.state.notes] == list(range(1, summary.history.plies + 1))
            assert {note.note.text for note in summary.state.notes} == {"by pipe"}


@pytest.mark.parametrize("live", [True, False])
async def test_a_contest_file_says_when_notes_are_seen(live: bool, tmp_path: Path) -> None:
    word = f"live-notes = {'true' if live else 'false'}"
    file = FILE.format(sandbox="", live=word, entrants='{ name = "ann" }, { name = "bob" }')
    async with running_contest(tmp_path, file) as (harness, _store, _contest):
        with trio.fail_after(WAIT_SECONDS):
            assert await _seen_after_a_move(harness) == live


async def _seen_after_a_move(harness: ArenaHarness) -> bool:
    """Let the entrant that begins note something of its move; tell whether a spectator sees it."""
    players = await seeking(harness, "ann", "bob")
    sides = [(await client.hear(m.Match)).side for client in players]
    for client in players:
        await client.say(m.Ready())
    spectator = await harness.guest(m.Watch(1))
    first = players[sides.index("first")]
    await first.hear(m.Turn)
    await first.say(m.Note(m.Text("depth=1")), m.Move(m.Text("a1")))
    await first.hear(m.Moved)
    await spectator.hear(m.Moved)
    return isinstance(await spectator.answer(m.Ping()), m.Noted)

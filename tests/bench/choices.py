"""What it costs to keep how the ladder chooses its games, and to do it again: ``python -m tests.bench choices``."""

import sqlite3
import time
import zlib
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from server.contest.export.checking import open_export
from server.contest.export.container import LADDER
from server.contest.export.contents import json_text, signed
from server.league.accounts.accounts import Accounts
from server.league.database import FILE
from server.league.ladder.definition import LadderDefinition, published_text, read, read_file
from server.league.ladder.pairing.choices import Choices
from server.league.ladder.pairing.choosing import candidates, choose
from server.league.ladder.players import LadderPlayer
from server.league.ladder.store import BegunGame, EndedGame, LadderStore
from server.league.ladder_control import LadderControl
from server.league.months.checking import verify_month
from server.league.months.contents import bounds
from server.league.months.writing import month_of

GAMES = 5000
AUTHORS = 30
ROOMS = 4
SECONDS = 20.0
"""Between games that end."""

MONTH = "2026-11"

LADDER_FILE = 'time = { budget = 1000 }\ngames = [{ game = "gipf" }, { game = "mnk", params = "5 5 4" }]\n'


def run() -> None:
    """Print the figures."""
    levels = "".join(f"[[levels]]\nlevel = {level}\n" for level in range(1, 10))
    with TemporaryDirectory() as folder:
        data = Path(folder)
        began = time.perf_counter()
        _play(data, read(LADDER_FILE + levels, data, str))
        played = time.perf_counter() - began
        with closing(sqlite3.connect(data / FILE)) as database:
            (kept,) = database.execute(
                """SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'ladder_choices%' OR name LIKE 'ladder_rosters%'
                OR name LIKE 'ladder_dropped%' OR name LIKE 'sqlite_autoindex_ladder_rosters%'"""
            ).fetchone()
            rosters, dropped = (
                database.execute(f"SELECT count(*) FROM ladder_{table}").fetchone()[0]
                for table in ("rosters", "dropped")
            )
        with closing(Accounts(data)) as accounts:
            month = month_of(accounts, MONTH)
        whole, without = (json_text(one) for one in (month, replace(month, choices=None)))
        packed = len(zlib.compress(whole, 9)) - len(zlib.compress(without, 9))
        began = time.perf_counter()
        verdict = verify_month(open_export(signed(data, "", {LADDER: whole}))).verdict
        verified = time.perf_counter() - began
        assert not [one for one in verdict.differences if "its record is missing" not in one]
        print(
            f"choices: {GAMES} games of {AUTHORS} authors and nine levels, {rosters} rosters, {dropped} games dropped: "
            f"{kept / GAMES:.0f} bytes a game in the database, {packed / GAMES:.1f} in an export; "
            f"{1e3 * played / GAMES:.1f} ms a game to choose, keep and count, {1e3 * verified / GAMES:.2f} ms to verify"
        )


def _play(data: Path, definition: LadderDefinition) -> None:
    """Play games at random, without records; every hundred somebody comes or goes, every fifty one is dropped."""
    chance = Random(1)
    date = bounds(MONTH)[0]
    players = {f"author{number}-1": LadderPlayer(f"author{number}-1", f"author{number}") for number in range(AUTHORS)}
    players |= {level.name: LadderPlayer(level.name, "", level.anchor) for level in definition.levels}
    with closing(Accounts(data)) as accounts:
        store, choices = LadderStore(accounts, lambda: date), Choices(accounts, lambda: date)
        LadderControl(accounts, read_file, lambda: date).keep_file(published_text(definition), 0)
        for player in players.values():
            store.seat(player, 0, players)
        running: list[BegunGame] = []
        here, match, counted = set(players), 0, 0
        while counted < GAMES:
            those = candidates([players[name] for name in here])
            moment = choices.moment()
            games = []
            slots = ROOMS - len(running)
            for pairing, opening in choose(definition, those, moment.known, slots, moment.date):
                match += 1
                games.append(BegunGame(match, pairing.variant, opening, (pairing.first, pairing.second), (0, 0)))
            if games:
                assert choices.keep(moment, those, slots, (), games)
            running += games
            date += chance.expovariate(1 / SECONDS)
            game = running.pop(chance.randrange(len(running)))
            if chance.random() < 0.02:
                store.forget(game.match)
                continue
            if chance.random() < 0.01:
                here ^= {f"author{chance.randrange(AUTHORS)}-1"}
            score = chance.choice([0.0, 0.5, 1.0])
            sha256 = f"{match:064x}"
            store.count(EndedGame(game, score, "line", "", 40, (False, False), sha256), players, 3)
            counted += 1

"""The commands ``arena-bot versions`` and ``compare``: versions of a bot in a league, and a match of two of them."""

import sys
import time
from typing import Any
from urllib.parse import urlencode

from bots.commands.league_requests import Entry, League
from bots.commands.options import Count, Flag, fail, print_line
from engine.games.catalogue import USUAL_GAME
from engine.wire.words import number_of

LOOK_SECONDS = 2.0
"""How often to ask how far a comparison has come."""

MEGABYTE = 1 << 20


def versions(
    *,
    entry: Entry,
    play: Count = 0,
    rest: Count = 0,
    delete: Count = 0,
) -> None:
    """List the versions of a bot in a league; choose the one that plays, or delete the files of one that does not.

    Parameters
    ----------
    play
        Number of a version that has passed, and plays from now on.
    rest
        Number of the version that plays, and shall play no more.
    delete
        Number of a version whose files are deleted for ever; its results stay.
    """
    wanted = {"play": play, "rest": rest, "delete": delete}
    if sum(map(bool, wanted.values())) > 1:
        fail("--play, --rest and --delete exclude each other: one thing at a time", 2)
    league = League(entry)
    for change, number in wanted.items():
        if number:
            print_line(_line(league.ask(f"versions/{number}/{change}", b"")))
            return
    told = league.ask("versions")
    for version in told["versions"]:
        print_line(_line(version))
    kept, most = (told[key] / MEGABYTE for key in ("kept_bytes", "most_bytes"))
    print_line(f"all your versions: {kept:.1f} of {most:.0f} MB on the server")


def compare(
    first: int,
    second: int,
    *,
    entry: Entry,
    game: str = USUAL_GAME,
    params: str = "",
    games: Count = 20,
    detach: Flag = False,
) -> None:
    """Let two versions of a bot play against each other on the server, and say which is the stronger one.

    Parameters
    ----------
    first
        Number of a version that has passed, whose score is told.
    second
        Number of another one.
    game
        The game.
    params
        Its variant, as in 4,4,15,15; the usual one when left out.
    games
        How many games they play: an even number.
    detach
        Ask for it, and do not wait for the result.
    """
    league = League(entry)
    fields = {"first": first, "second": second, "game": game, "params": params, "games": games}
    told = league.ask("comparisons", urlencode(fields).encode())
    contest = told["contest"]
    print_line(f"{told['name']}: {league.url}{told['page']}")
    last = ""
    while not detach:
        if (line := f"-- {told['done']} of {number_of(games, 'game')}: {told['summary'] or 'no pair is over'}") != last:
            print_line(line)
        if told["is_over"]:
            sys.exit(0 if told["done"] == games else 1)
        last = line
        time.sleep(LOOK_SECONDS)
        told = next(one for one in league.ask("comparisons")["comparisons"] if one["contest"] == contest)


def _line(told: dict[str, Any]) -> str:
    """Return a line about a version."""
    sentence = f": {told['sentence']}" if told["sentence"] else ""
    return f"{told['version']:4}  {told['received'][:16].replace('T', ' ')}  {told['file']}  {told['state']}{sentence}"

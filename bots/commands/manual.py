"""What ``--help`` of a command ends with, as a manual page does: examples, and exit statuses."""

from typing import NamedTuple

USAGE = "2 wrong usage; 130 interrupted"


class Ending(NamedTuple):
    """Examples of a command, each with what it is for, and what its exit statuses mean."""

    examples: tuple[tuple[str, str], ...]
    statuses: str

    def __str__(self) -> str:
        """Return the end of the help, in Markdown."""
        lines = [f"- `{line}`" + (f" ({meaning})" if meaning else "") for line, meaning in self.examples]
        return "\n".join(["Examples:", "", *lines, "", f"Exit status: {self.statuses}."])


PLAYED = f"0 all matches were played; 1 the server refused, was not there, or the bot failed; {USAGE}"

ENDINGS = {
    "new": Ending(
        (
            ("arena-bot new mybot", "in Python"),
            ("arena-bot new mybot --language rust --game arrows", ""),
        ),
        "0 the folder is made; 1 it exists, or cannot be written; 2 wrong usage",
    ),
    "submit": Ending(
        (
            (
                "arena-bot submit mybot --name ann-2 --server https://arena.example.org",
                "its token is in ARENA_TOKEN",
            ),
            ("arena-bot submit bot.py --name ann-2 --token TOKEN", "a bot of one file, to this machine"),
        ),
        "0 it has passed, and plays; 1 it was refused, or could not be sent; 2 wrong usage; 130 interrupted",
    ),
    "versions": Ending(
        (
            ("arena-bot versions --name ann-2", "what there is, and how much of the disk it takes"),
            ("arena-bot versions --name ann-2 --delete 3", ""),
        ),
        "0 done; 1 the league has refused it, or is not there; 2 wrong usage; 130 interrupted",
    ),
    "compare": Ending(
        (("arena-bot compare 3 2 --name ann-2 --games 40", "the score of version 3 against version 2"),),
        "0 it was played; 1 it was not, or the league is not there; 2 wrong usage; 130 interrupted",
    ),
    "random": Ending((("arena-bot random --opponent mybot --games 10", ""),), PLAYED),
    "alphabeta": Ending(
        (
            ("arena-bot alphabeta --level 3 --games 0", "until it is interrupted"),
            ("arena-bot alphabeta --host arena.example.org --tls", ""),
        ),
        PLAYED,
    ),
    "bridge": Ending(
        (("arena-bot bridge --name alice --games 10 -- ./mybot", "a program on stdin and stdout"),),
        f"0 played; 1 the server was not there, or the program failed in the last match; {USAGE}",
    ),
    "check": Ending(
        (
            ("arena-bot check -- python3 mybot.py", "a bot that reads ARENA_HOST and so on"),
            ("arena-bot check --game morris -- ./bot {host} {port} {name} {game}", ""),
            ("arena-bot check --only resumes --listen 2755", "some situations, of a bot that you start"),
            ("arena-bot check --junit check.xml -- python3 mybot.py", "for CI"),
        ),
        f"0 nothing is wrong; 1 something is; {USAGE}",
    ),
    "replay": Ending(
        (
            ("arena-bot replay arena-data/records/17.txt mybot.py", "where it plays otherwise now"),
            ("arena-bot replay 17 mybot.py --ply 23 --debugger", "at one turn, in pdb"),
        ),
        "0 it plays the same moves, in time; 1 it plays otherwise, fails or is late; 2 nothing could be replayed; "
        "130 interrupted",
    ),
    "review": Ending(
        (
            ("arena-bot review arena-data/records/17.txt", ""),
            ("arena-bot review 17 --nodes 1000000 --json -", "looked at more closely, for a program"),
        ),
        "0 reviewed; 1 a report cannot be written; 2 wrong usage, or the record cannot be used; 130 interrupted",
    ),
    "warm": Ending((("arena-bot warm gipf 5,4,20,20", ""),), f"0 compiled; {USAGE}"),
    "watch": Ending(
        (
            ("arena-bot watch", "the newest match"),
            ("arena-bot watch 17 --record", "match 17, and its record in the end"),
            ("arena-bot watch --follow", "one after another"),
        ),
        f"0 watched to its end; 1 there is no such match or server; {USAGE}",
    ),
    "log": Ending(
        (
            ("arena-bot log 17 --name mybot", "on a server without tokens"),
            ("arena-bot log 17 --token TOKEN", ""),
        ),
        f"0 shown; 1 there is no such log or server; {USAGE}",
    ),
    "play": Ending(
        (
            ("arena-bot play", "against the bot"),
            ("arena-bot play morris --second level:3", ""),
        ),
        f"0 the game was left or is over; {USAGE}",
    ),
}
"""By the names of the commands of this package."""

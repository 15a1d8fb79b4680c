"""What a contest is: all that its file says, read and checked. Everything else follows from it and from its games."""

from enum import StrEnum
from typing import Annotated, NamedTuple, TypeAlias

from engine.clock import TimeControl
from server.config.declared import Range
from server.config.settings import MAX_MOVES
from server.contest.interventions import Intervention


class Entrant(NamedTuple):
    """Who takes part."""

    name: str
    command: tuple[str, ...] = ()
    """The program and its arguments, where the server starts it; empty for one that connects by itself."""
    token: str = ""
    """SHA-256 of the token by which it logs in, in hexadecimal; empty where the server's own tokens do, or none."""
    folder: str = ""
    """The only folder of its own that its program sees, and works in; empty for what its command names."""

    @property
    def connects(self) -> bool:
        """Tell whether it connects by itself, so that it plays one game at a time, when it is there."""
        return not self.command


class Variant(NamedTuple):
    """A game that is played, and from where."""

    game: str
    parameters: str
    """In canonical text."""
    openings: tuple[str, ...]
    """Texts of the positions in which games begin, at least one."""


class RoundRobin(NamedTuple):
    """Everybody meets everybody ``cycles`` times."""

    cycles: int = 1


class Swiss(NamedTuple):
    """In each round those meet who have as many points, and have not met."""

    rounds: int


class Gauntlet(NamedTuple):
    """Each challenger meets everybody who is none ``cycles`` times."""

    challengers: tuple[str, ...]
    cycles: int = 1


class Knockout(NamedTuple):
    """Who wins a meeting goes on, who loses it is out."""

    tie_breaks: int
    """Pairs of games, at most, that are added one by one to a meeting that has ended even."""
    control: TimeControl
    """That of the added games."""


class Ladder(NamedTuple):
    """Who is free plays somebody of about the same rating, until one of both limits is reached (0: none)."""

    games: int
    seconds: int


Format: TypeAlias = RoundRobin | Swiss | Gauntlet | Knockout | Ladder


class Seeding(StrEnum):
    """In which order entrants come into the first stage."""

    LISTED = "listed"
    """As they stand in the file, the strongest first."""
    CHANCE = "chance"
    """By lot, which the seed draws."""


class Stage(NamedTuple):
    """A part of the contest with a format and a table of its own."""

    format: Format
    control: TimeControl
    pairs: int = 1
    """Pairs of games, colours swapped, that a meeting has in every variant."""
    advance: int = 0
    """How many of the stage before take part; 0 for all."""


class Qualification(NamedTuple):
    """What each entrant has to show against the built-in bots before the contest, and what disqualifies it."""

    opponents: tuple[str, ...]
    """Built-in bots, by the name of their kind."""
    control: TimeControl
    pairs: int
    time_losses: int
    """So many games lost on time disqualify."""
    bad_moves: int
    """So many moves that are not legal disqualify. To hang in initialisation disqualifies at once."""


class Adjudication(NamedTuple):
    """Exact solving of running games: a position whose result is proven ends the game with it."""

    from_ply: Annotated[int, Range(0, MAX_MOVES, "moves of both sides")] = 0
    """Positions after fewer moves than these are not looked at."""
    seconds: Annotated[float, Range(0.01, 3600, "seconds")] = 1.0
    """Longest time for a position."""
    megabytes: Annotated[int, Range(16, 1_000_000, "megabytes")] = 256


class Interrupted(StrEnum):
    """What becomes of the games that were running when the server died."""

    RESUME = "resume"
    """They go on when the players come back."""
    REPLAY = "replay"
    """They are annulled and played again."""


class Sandbox(StrEnum):
    """What is put around the programs that the server starts."""

    SEALED = "sealed"
    """Namespaces of their own, a clean environment, and bounds: `server.contest.programs.sandbox.bubblewrap`."""
    NONE = "none"
    """Nothing: they run as the server's user, and can do what that user can."""


class Bounds(NamedTuple):
    """What each sealed program may use, with all that it starts. A megabyte is 2**20 bytes."""

    memory: Annotated[int, Range(16, 1_000_000, "megabytes")] = 1024
    """Megabytes of memory that are in use; address space that is only reserved does not count."""
    processes: Annotated[int, Range(2, 100_000, "processes and threads")] = 256
    """Processes and threads at a time."""
    open_files: Annotated[int, Range(16, 1_000_000, "open files")] = 1024
    """Open files of each process, sockets included."""
    file_size: Annotated[int, Range(1, 1_000_000, "megabytes")] = 64
    """Megabytes of a file."""
    scratch: Annotated[int, Range(1, 1_000_000, "megabytes")] = 64
    """Megabytes of all files in its scratch folder."""
    cpu_seconds: Annotated[int, Range(0, 1_000_000, "seconds of processor time a game, 0 for enough")] = 0
    """Processor time for a game, in seconds; 0: as much as one that thinks all through the longest game uses."""


class Definition(NamedTuple):
    """A contest."""

    name: str
    seed: int
    entrants: tuple[Entrant, ...]
    variants: tuple[Variant, ...]
    stages: tuple[Stage, ...]
    move_limit: int
    """In plies, both sides' counted."""
    time_losses: int
    """So many games lost on time disqualify, all stages counted; 0: none do."""
    seeding: Seeding = Seeding.LISTED
    interrupted: Interrupted = Interrupted.RESUME
    games_at_once: int = 0
    """Most games at a time; 0: as many as players and cores allow."""
    cores: int = 0
    """Most programs started by the server that play at a time, one a core; 0: as many as the machine has."""
    qualification: Qualification | None = None
    adjudication: Adjudication | None = None
    patience: int = 600
    """Seconds that an entrant that connects by itself may be missing when nothing else is left to play."""
    folder: str = ""
    """Where the programs are started: that of the contest file."""
    start_seconds: int = 60
    """What a program gets from its start to its first word, SEEK."""
    interventions: tuple[Intervention, ...] = ()
    """What the organiser has changed since; no part of the contest file, and kept apart from all else."""
    sandbox: Sandbox = Sandbox.SEALED
    """What is around programs."""
    bounds: Bounds = Bounds()
    visible: tuple[str, ...] = ()
    """Files and folders beside its own that each sealed program may read, seen from the contest file."""

    def entrant(self, name: str) -> Entrant | None:
        """Return the entrant of that name; None for a built-in bot."""
        return next((entrant for entrant in self.entrants if entrant.name == name), None)

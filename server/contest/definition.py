"""The definition of a contest: the content of its file, read and checked. All else follows from it and the games.

Each value is declared here once: its type, its default, and by a `Range` or a `TextForm` what a contest file may say
(`server.config.declared`). `definition_text` makes JSON of it, in which each struct is the list of its fields.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, TypeAlias

import msgspec
from msgspec.structs import replace

from engine.match.clock import TimeControl
from engine.wire.words import NAME_PATTERN
from server.config.declared import Key, Range, TextForm
from server.config.settings import MAX_MOVES, MOVE_LIMIT
from server.contest.fixtures import QUALIFICATION, Fixture, Intervention, is_cancelled, withdrawn
from server.contest.formats.meetings import Gauntlet, Ladder, Pairs, RoundRobin
from server.contest.formats.rounds import Knockout, Swiss
from server.contest.openings import drawn_opening
from server.ops import typed_json

PATHS = r"[^\x00]+"
SEED = Range(0, 2**63 - 1)
PAIRS = Range(1, 1000, "pairs of games")

MAX_ENTRANTS = 500
"""A table of more is not read by anybody, and pairing them takes the server longer than a second."""


class Part(msgspec.Struct, frozen=True, array_like=True):
    """A part of a definition."""


class Entrant(Part, frozen=True):
    """A participant of a contest."""

    name: Annotated[
        str, TextForm(NAME_PATTERN, "a name of 1 to 32 letters, digits, '_', '.' and '-', the first a letter or digit")
    ]
    command: Annotated[tuple[str, ...], TextForm("(?s).+", "the list of a program and its arguments")] = ()
    """The program and its arguments, where the server starts it; empty for one that connects by itself."""
    token: Annotated[str, TextForm("[0-9a-f]{64}", "the SHA-256 of the entrant's token, 64 hexadecimal digits")] = ""
    """SHA-256 of the token by which it logs in, in hexadecimal; empty where the server's own tokens do, or none.

    For a program that the server starts, it is the token with which its author reads its logs."""
    folder: Annotated[str, TextForm(PATHS, "the folder of the entrant's program, seen from the contest file")] = ""
    """The only folder of its own that its program sees, and works in; empty for what its command names."""
    version_of: Annotated[str, TextForm(NAME_PATTERN, "the name of a bot whose author has an account")] = ""
    """The bot of the league of which a version plays; it gives command and folder as soon as it is chosen."""
    version: Annotated[int, Range(1, 1_000_000)] = 0
    """The number of that version; 0 for the version that is active when it is chosen."""

    @property
    def connects(self) -> bool:
        """Tell whether it connects by itself; then it plays one game at a time, while it is connected."""
        return not self.command and not self.version_of


class DrawnOpenings(Part, frozen=True):
    """Openings that are random moves from the start of the game; after the last one comes the first again."""

    plies: int
    seed: int


class Variant(Part, frozen=True):
    """A game of the contest with its parameters and openings."""

    game: str
    parameters: str
    """In canonical text."""
    openings: tuple[str, ...] = ()
    """Texts of the positions in which games begin, at least one where they are not drawn."""
    drawn: DrawnOpenings | None = None
    """How openings are drawn as they are needed; None where they are given."""

    @property
    def name(self) -> str:
        """The game with its parameters."""
        return f"{self.game} {self.parameters}".strip()

    def number(self, opening: int) -> int:
        """Return the number of an opening among those of the variant, from 1."""
        return 1 + (opening % len(self.openings) if self.drawn is None else opening)

    def position(self, opening: int) -> str:
        """Return the text of the position of an opening; raises `BadOpening` where none can be drawn."""
        if self.drawn is not None:
            return drawn_opening(self.game, self.parameters, self.drawn.plies, self.drawn.seed, opening)
        return self.openings[opening % len(self.openings)]


Format: TypeAlias = RoundRobin | Swiss | Gauntlet | Knockout | Ladder | Pairs


def format_word(format: Format) -> str:
    """Return the word that contest files use for a format."""
    return str(format.__struct_config__.tag)


class Seeding(StrEnum):
    """The order of the entrants in the first stage."""

    LISTED = "listed"
    """As they stand in the file, the strongest first."""
    CHANCE = "chance"
    """In a random order, which the seed draws."""


class Stage(Part, frozen=True):
    """A part of the contest with a format and a table of its own."""

    format: Format
    control: Annotated[TimeControl, Key("time")]
    pairs: Annotated[int, PAIRS] = 1
    """Pairs of games, colours swapped, that a meeting has in every variant."""
    advance: Annotated[int, Range(2, MAX_ENTRANTS, "entrants")] = 0
    """How many of the stage before take part; 0 for all."""


class Qualification(Part, frozen=True):
    """Games of each entrant against built-in bots before the contest, and what disqualifies it there."""

    opponents: tuple[str, ...]
    """Built-in bots, by the names that they play under."""
    control: Annotated[TimeControl, Key("time")]
    pairs: Annotated[int, PAIRS] = 1
    time_losses: Annotated[int, Range(1, 1000, "games")] = 2
    """Games lost on time that disqualify."""
    bad_moves: Annotated[int, Range(1, 1000, "moves")] = 1
    """Illegal moves that disqualify. Hanging in initialisation disqualifies at once."""


class Adjudication(Part, frozen=True):
    """Exact solving of running games: a position whose result is proven ends the game with it."""

    from_ply: Annotated[int, Range(0, MAX_MOVES, "moves of both sides")] = 0
    """Positions after fewer moves than these are not looked at."""
    seconds: Annotated[float, Range(0.01, 3600, "seconds")] = 1.0
    """Longest time for a position."""
    megabytes: Annotated[int, Range(16, 1_000_000, "megabytes")] = 256


class InterruptedGames(StrEnum):
    """The treatment of games that were running when the server died."""

    RESUME = "resume"
    """They go on when the players come back."""
    REPLAY = "replay"
    """They are annulled and played again."""


class Sandbox(StrEnum):
    """How the programs that the server starts are isolated."""

    SEALED = "sealed"
    """Namespaces of their own, a clean environment, and bounds: `server.contest.programs.sandbox.seal`."""
    NONE = "none"
    """Nothing: they run as the server's user, and can do what that user can."""


class Bounds(Part, frozen=True):
    """Limits for each sealed program and all processes that it starts. A megabyte is 2**20 bytes."""

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


class Definition(Part, frozen=True, kw_only=True):
    """A contest."""

    name: Annotated[str, TextForm(r"[^\x00-\x1f]{1,80}", "the contest's name, 1 to 80 characters in one line")]
    seed: Annotated[int, SEED] = 0
    entrants: tuple[Entrant, ...]
    variants: tuple[Variant, ...]
    stages: tuple[Stage, ...]
    move_limit: Annotated[int, MOVE_LIMIT] = 1000
    """In plies, both sides' counted."""
    time_losses: Annotated[int, Range(0, 1000, "games")] = 3
    """Games lost on time, in all stages, that disqualify; 0: no number does."""
    seeding: Seeding = Seeding.LISTED
    interrupted: InterruptedGames = InterruptedGames.RESUME
    games_at_once: Annotated[int, Range(0, 1000)] = 0
    """Most games at a time; 0: as many as players and cores allow."""
    cores: Annotated[int, Range(0, 1000)] = 0
    """Most programs started by the server that play at a time, one a core; 0: as many as the machine has."""
    qualification: Qualification | None = None
    adjudication: Adjudication | None = None
    patience: Annotated[int, Range(0, 7 * 24 * 3600, "seconds")] = 600
    """Seconds that an entrant that connects by itself may be missing when nothing else is left to play."""
    folder: str = ""
    """Where the programs are started: that of the contest file."""
    start_seconds: Annotated[int, Range(1, 3600, "seconds")] = 60
    """Seconds from the start of a program to its first line, SEEK."""
    sandbox: Sandbox = Sandbox.SEALED
    """The isolation of programs."""
    bounds: Bounds = Bounds()
    visible: Annotated[tuple[str, ...], TextForm("(?s).+", "a list of folders that every program may read")] = ()
    """Files and folders beside its own that each sealed program may read, seen from the contest file."""
    live_notes: bool = False
    """Whether spectators see what players note during a game, with the moves; else when it is over."""
    versions_until: datetime | None = None
    """When it is chosen which versions of bots play, and the contest begins; None: as soon as it is opened."""
    versions_wait: Annotated[int, Range(0, 7 * 24 * 3600, "seconds")] = 3600
    """Longest wait, after that moment, for versions that are still under way."""
    interventions: tuple[Intervention, ...] = ()
    """Later changes by the organiser; they are not in the contest file, and stored separately."""

    @property
    def is_endless(self) -> bool:
        """Tell whether the contest never ends. Its results are too many for the memory."""
        return any(stage.format.is_endless for stage in self.stages)

    @property
    def awaited_versions(self) -> tuple[Entrant, ...]:
        """Return the entrants of which no version was chosen yet: no game begins before. None if it was cancelled."""
        over, out = is_cancelled(self.interventions), withdrawn(self.interventions)
        awaited = (one for one in self.entrants if one.version_of and not one.command and one.name not in out)
        return () if over else tuple(awaited)

    def entrant(self, name: str) -> Entrant | None:
        """Return the entrant of that name; None for a built-in bot."""
        return next((entrant for entrant in self.entrants if entrant.name == name), None)

    def position(self, fixture: Fixture) -> str:
        """Return the text of the position in which a game begins."""
        return self.variants[fixture.variant].position(fixture.opening)

    def control(self, fixture: Fixture) -> TimeControl:
        """Return the time control of a game."""
        if fixture.stage == QUALIFICATION:
            assert self.qualification is not None
            return self.qualification.control
        stage = self.stages[fixture.stage]
        return stage.format.control_of(stage.control, stage.pairs, fixture.pair)


def definition_text(definition: Definition) -> str:
    """Return the JSON of a definition without the organiser's interventions."""
    return msgspec.json.encode(replace(definition, interventions=())).decode()


def read_definition(text: str) -> Definition:
    """Return the definition of a text; raises `msgspec.DecodeError` if it is not one."""
    return replace(typed_json.decode(text, type=Definition), interventions=())

"""What is known of variants, a line each: how they end with perfect play, and how that was found."""

from importlib.resources import files
from typing import NamedTuple

from engine.solve.solver import Result

COLUMNS = ("parameters", "result", "plies", "method", "nodes", "positions", "seconds", "limits")
"""Of a line of the file, separated by tabs. Limits are those that were set: seconds and megabytes."""


class Entry(NamedTuple):
    """What is known of a variant, as it stands in a line of the file."""

    parameters: str
    result: str
    plies: str
    """Of the game with perfect play; empty for a draw, and where the length is not known."""
    method: str
    nodes: int
    positions: int
    seconds: float
    limits: str

    @classmethod
    def read(cls, line: str) -> "Entry":
        """Read a line; raises ValueError."""
        words = line.split("\t")
        if len(words) != len(COLUMNS) or words[1] not in set(Result):
            raise ValueError(f"a line has the {len(COLUMNS)} columns {', '.join(COLUMNS)}")
        parameters, result, plies, method = words[:4]
        return cls(parameters, result, plies, method, int(words[4]), int(words[5]), float(words[6]), words[7])

    def line(self) -> str:
        """Write the line."""
        return "\t".join([*self[:4], str(self.nodes), str(self.positions), f"{self.seconds:.1f}", self.limits])


def shipped() -> list[Entry]:
    """Return what this distribution knows of variants of GIPF; the last entry of a variant counts."""
    lines = (files("engine.solve.atlas") / "gipf.tsv").read_text(encoding="utf-8").splitlines()
    entries = map(Entry.read, lines[1:])
    return list({entry.parameters: entry for entry in entries}.values())

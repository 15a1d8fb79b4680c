"""The list of similar programs as text, JSON and a page (pure)."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import zip_longest

from jinja2 import Environment, StrictUndefined

from bots.workbench.similarity.comparison import Pair, Passage, Place
from bots.workbench.similarity.source_files import Program
from engine.commands import reports

NOTE = (
    "This is a list of places to look at, and no verdict. Programs that do the same thing in the usual way resemble"
    " each other, as do those that quote the same book; whether somebody has copied, people decide who have read both."
)

MAX_LINES = 60
"""Lines of a passage that a page shows."""


def as_text(pairs: Sequence[Pair], programs: Sequence[Program]) -> list[str]:
    """Return a table for people, a line a pair, with its longest passage, and what was not compared."""
    left_out = [f"not compared: {one.name}: {fault}" for one in programs for fault in one.left_out]
    if not pairs:
        return [NOTE, "", _nothing(programs), *left_out]
    rows = [("shared", "of the smaller", "programs", "longest passage")]
    for pair in pairs:
        longest = pair.passages[0]
        rows.append(
            (
                f"{pair.shared}",
                f"{pair.part:.0%}",
                f"{pair.one}, {pair.other}",
                f"{_place(longest.one)} and {_place(longest.other)}",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    table = [
        f"{row[0].rjust(widths[0])}  {row[1].rjust(widths[1])}  {row[2].ljust(widths[2])}  {row[3]}" for row in rows
    ]
    return [NOTE, "", *table, *left_out]


def as_json(pairs: Sequence[Pair], programs: Sequence[Program]) -> str:
    """Return the list as JSON: pairs with all places, and what was not compared."""
    return reports.as_json(
        {
            "report": "similar",
            "note": NOTE,
            "programs": [{"name": one.name, "files": list(one.files), "left_out": one.left_out} for one in programs],
            "pairs": [
                {
                    **pair._asdict(),
                    "part": round(pair.part, 4),
                    "passages": [
                        {
                            "one": one.one._asdict(),
                            "other": one.other._asdict(),
                            "fingerprints": one.fingerprints,
                        }
                        for one in pair.passages
                    ],
                }
                for pair in pairs
            ],
        }
    )


def as_html(pairs: Sequence[Pair], programs: Sequence[Program]) -> str:
    """Return the list as a page of one file, without scripts, with the places side by side."""
    sources = {program.name: program.files for program in programs}
    shown = [
        {
            "pair": pair,
            "passages": [
                {"one": _place(one.one), "other": _place(one.other), "lines": _side_by_side(sources, pair, one)}
                for one in pair.passages
            ],
        }
        for pair in pairs
    ]
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    template = (files("bots.workbench.similarity") / "similar.html.jinja").read_text(encoding="utf-8")
    left_out = [(program.name, fault) for program in programs for fault in program.left_out]
    return environment.from_string(template).render(
        note=NOTE, shown=shown, nothing=_nothing(programs), left_out=left_out
    )


def _nothing(programs: Sequence[Program]) -> str:
    return f"No two of {len(programs)} programs share anything but code that was handed out."


def _side_by_side(
    sources: Mapping[str, Mapping[str, str]], pair: Pair, passage: Passage
) -> list[tuple[int | None, str, int | None, str]]:
    """Return the lines of a passage, each with its number: of the first program, and beside it of the second."""
    one = _numbered(sources[pair.one][passage.one.file], passage.one)
    other = _numbered(sources[pair.other][passage.other.file], passage.other)
    return [(*left, *right) for left, right in zip_longest(one, other, fillvalue=(None, ""))]


def _numbered(text: str, place: Place) -> list[tuple[int | None, str]]:
    last = min(place.last, place.first + MAX_LINES - 1)
    return list(enumerate(text.split("\n")[place.first - 1 : last], place.first))


def _place(place: Place) -> str:
    return f"{place.file}:{place.first}-{place.last}"

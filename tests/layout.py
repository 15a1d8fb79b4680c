"""The layout of the repository, as far as import contracts do not hold it: ``python -m tests.layout``, in make lint.

A folder has a dozen entries at most, a module 450 lines, and names that were given up for the field's own words do not
come back.
"""

import io
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

MAX_ENTRIES = 12

MAX_LINES = 450

PACKAGES = ("engine", "server", "bots")

LISTS = ("bots/examples",)
"""Folders with a file for each of many alike: languages."""

RETIRED = {
    "hall": "arena",
    "Hall": "Arena",
    "door": "acceptor",
    "gate": "rate_limiter",
    "Gate": "RateLimiter",
    "outbox": "send_queue",
    "Outbox": "SendQueue",
    "archive": "record_store",
    "Archive": "RecordStore",
    "desk": "contest_players",
    "Desk": "ContestPlayers",
    "office": "service",
    "Office": "ContestService",
    "loopwatch": "stall_monitor",
    "LoopWatch": "StallMonitor",
    "HOUSE_BOTS": "BUILTIN_BOTS",
    "house_bot": "builtin_bot_command",
    "keep_house": "keep_builtin_bots",
    "Retold": "PastMatch",
    "tell_everybody": "send_messages",
    "when_handed": "call_when_sent",
    "retelling": "past_matches",
    "Retelling": "PastMatches",
    "thinker": "searcher",
    "Thinker": "Searcher",
    "adviser": "game_engine",
    "Adviser": "GameEngine",
    "hopes": "can_still_win",
    "loud_children": "tactical_children",
    "allot": "allocate_time",
    "films": "frame_cache",
    "crowd": "http_rate_limiter",
    "spectacle": "watched_match",
    "organise": "contest",
    "House": "ArenaHarness",
    "open_house": "open_arena",
    "kept_on_disk": "sync_result_in_thread",
}
"""Identifiers that nobody who knows the field would look for, and what stands in their place."""


def main() -> None:
    """Say what is wrong, a line each, and exit with 1 where anything is."""
    faults = [*crowded(), *long(), *retired()]
    for fault in faults:
        print(fault)
    sys.exit(bool(faults))


def crowded() -> Iterator[str]:
    """Yield folders with too many entries; those that every package has are not counted, nor what is left of caches."""
    entries: dict[Path, set[str]] = defaultdict(set)
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.*"):
            parts = file.relative_to(ROOT).parts
            if file.is_file() and "__pycache__" not in parts:
                for depth in range(1, len(parts)):
                    entries[Path(*parts[:depth])].add(parts[depth])
    for folder, names in sorted(entries.items()):
        found = names - {"__init__.py", "__main__.py", "py.typed"}
        if len(found) > MAX_ENTRIES and folder.as_posix() not in LISTS:
            yield f"{folder}: {len(found)} entries, {MAX_ENTRIES} at most: {', '.join(sorted(found))}"


def modules(*packages: str) -> Iterator[Path]:
    """Yield the modules of packages, in order."""
    for package in packages:
        yield from sorted((ROOT / package).rglob("*.py"))


def long() -> Iterator[str]:
    """Yield modules that are too long to be of one idea."""
    for module in modules(*PACKAGES):
        lines = len(module.read_text(encoding="utf-8").splitlines())
        if lines > MAX_LINES:
            yield f"{module.relative_to(ROOT)}: {lines} lines, {MAX_LINES} at most"


def retired() -> Iterator[str]:
    """Yield retired names, where they stand as identifiers, modules or folders, in tests too."""
    for module in modules(*PACKAGES, "tests"):
        path = module.relative_to(ROOT)
        for part in path.with_suffix("").parts:
            if part in RETIRED:
                yield f"{path}: the name {part} is retired; say {RETIRED[part]}"
        for token in tokenize.generate_tokens(io.StringIO(module.read_text(encoding="utf-8")).readline):
            if token.type == tokenize.NAME and token.string in RETIRED:
                yield f"{path}:{token.start[0]}: the name {token.string} is retired; say {RETIRED[token.string]}"


if __name__ == "__main__":
    main()

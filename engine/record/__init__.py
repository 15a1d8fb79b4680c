"""The record of a match: one readable text file, written line by line while the match is played."""

from engine.record.notes import RecordedNote, take_note
from engine.record.reader import decoded, seconds_of
from engine.record.replay import verify
from engine.record.summary import BadRecord, Played, Summary, time_account
from engine.record.text import (
    VERSION,
    Header,
    crashed_line,
    lag_line,
    milliseconds,
    move_line,
    players_of,
    presence_line,
    ready_line,
    refused_line,
    resigned_line,
    restarted_line,
    result_line,
    runs_line,
    stall_line,
    unanswered_line,
)
from engine.record.time_use import readable

__all__ = [
    "VERSION",
    "BadRecord",
    "Header",
    "Played",
    "RecordedNote",
    "Summary",
    "crashed_line",
    "decoded",
    "lag_line",
    "milliseconds",
    "move_line",
    "players_of",
    "presence_line",
    "readable",
    "ready_line",
    "refused_line",
    "resigned_line",
    "restarted_line",
    "result_line",
    "runs_line",
    "seconds_of",
    "stall_line",
    "take_note",
    "time_account",
    "unanswered_line",
    "verify",
]

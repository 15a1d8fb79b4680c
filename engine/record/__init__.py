"""The record of a match: one readable text file, written line by line while the match is played.

A record begins with headers, ``name value`` a line, and the first position. Then comes a line for each thing that
happened, and at last the result:

    arena-record 1
    match 17
    game gipf
    parameters 4 4 15 15
    white alice
    black bob
    budget 60000.000
    increment 0.000
    lag-allowance 100.000
    move-limit 1000
    server gipf-arena/0.1.0
    started 2026-11-20T20:15:00.000Z
    position
    | 4 4 15 15
    | …
    ready white 20.113 59979.887
    move 1 white 20.530 25.918 59974.499 a5-b5
    note 2 black score=-35 depth=7 nodes=120345 pv=a3-b3,c5-c4 text=in the book
    refused black 26.001 27.110 x9-y9
    stall 28.110 95.250
    lag white 48.000
    gone black 30.000
    back black 35.125
    restarted 4520.000
    back white 4521.300
    runs white 4521.310
    resigned white 59.100
    crashed white 59.100 ValueError: no move was found
    unanswered white 59.250
    result white bad_move 27.110 59974.499 59950.001 black played x9-y9: …

All times are milliseconds with three decimals. Stamps count from the moment at which the match began and both
clocks started. ``ready`` has the stamp at which READY came and what the side has left then; ``move`` and
``refused`` the stamps at which TURN was sent and the move received, and ``move`` what the side has left then, the
increment included; ``resigned`` the stamp of RESIGN, and ``crashed`` that of CRASHED, with what it said;
``unanswered`` that of a TURN which the match ended before an answer came; ``result`` its stamp and what both sides
have left, the one that began first. A clock is charged the time between its two stamps, and nothing else: anybody can
recompute it.

``note`` has the number of a move, and what its player has noted of it (`engine.wire.notes`), before it was made or
after; it stands where it came, has no stamp, and nothing depends on it.

Two lines make that less. ``stall`` has two stamps between which the server stood still: what of it lies within a span
is not charged, where the span began before it. It stands before the event that it matters to. Of each turn of a side
behind ``lag`` so much is not charged, or all of it where it is less: as long as the way through the network was
measured to take, and at most the ``lag-allowance``, a header that is left out where there is none.

``restarted`` is the stamp at which a server that had died took the match up again. All clocks stand then, and both
connections are lost. Nothing is charged for the turn that was under way, which begins anew: no TURN of it bears a
stamp before ``restarted``. A clock that ran while initialising is charged up to the last event before; from ``runs``
on, it runs again. The stamps of a new process follow on the old ones by the date and time in ``started``, and never
lie before the last one that was written.

A record without a result is that of a match that is still running, or was cut off.

- `dataset`: positions, moves and records as numbers, for programs that learn
- `ending`: what a result has to agree with: the board, the last event, the clocks, and the figures in its own
  sentence
- `exact_cost`: what moves have cost where a tablebase has every value, in plies and in words
- `notes`: the notes of both players: which move each is about, and how many there may be
- `reader`: reading the words of a record: numbers, times and stamps as they are written, and the head
- `evaluations`: what the search thinks of positions of a match, each within a number of nodes
- `replay`: reading a record back: rules, clocks and result are replayed, and held against what is written
- `review`: reviews the moves of a record: what would have been best, what each move has lost, and what is proven
- `summary`: what reading a record comes to: what it says, or the line that is not true
- `text`: the text of a record: its head, and a line for each thing that happened
- `time_account`: where the time of both sides went, as lines for people
- `time_use`: what the time of a side went to, and how a loss on time says so
"""

from engine.record.notes import RecordedNote, take_note
from engine.record.replay import verify
from engine.record.summary import BadRecord, Played, Summary
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
    sentence_of,
    stall_line,
    unanswered_line,
)
from engine.record.time_account import time_account
from engine.record.time_use import readable

__all__ = [
    "VERSION",
    "BadRecord",
    "Header",
    "Played",
    "RecordedNote",
    "Summary",
    "crashed_line",
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
    "sentence_of",
    "stall_line",
    "take_note",
    "time_account",
    "unanswered_line",
    "verify",
]

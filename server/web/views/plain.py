"""Pages for browsers without JavaScript, as HTML. Pure: from structs to markup, which holds no name unescaped."""

from collections.abc import Iterable, Sequence
from html import escape

import msgspec

from server.contest.report.render.page import fragments
from server.contest.report.structure import Report
from server.match.referee import State
from server.web.views.contests import Entry
from server.web.views.lobby import Listed, Overview


def lobby(seen: Overview) -> str:
    """Return who plays whom, the last results, and who is here."""
    players = ", ".join(escape(player.name) for player in seen.players)
    return (
        _table(f"Playing now: {seen.playing}", map(_match_row, seen.running))
        + _table("Results", map(_match_row, seen.recent))
        + f"<p>Here now: {players or 'nobody'}.</p>"
    )


def contests(entries: Sequence[Entry]) -> str:
    """Return the contests with how far they are."""
    rows = (
        (
            _link(f"/contest/{one.contest}", one.name),
            escape(one.state),
            f"{one.done} of {one.known} games",
            escape(one.leader),
        )
        for one in entries
    )
    return _table("Contests", rows)


def match(state: State) -> str:
    """Return how a match stands that the server knows: players, result, position and moves."""
    history, players = state.history, state.header.players
    ended = "being played" if state.outcome is None else state.outcome.detail
    moves = " ".join(f"{number}. {move}" for number, move in enumerate(history.moves, 1))
    return (
        f"<p>{escape(' – '.join(players))}: {escape(ended)}.</p>"
        f"<pre>{escape(history.position.picture())}</pre><p>{escape(history.position.summary())}</p>"
        f"<p>{escape(moves) or 'No move was made yet.'}</p>"
    )


def record(number: int) -> str:
    """Return where the record of a match is that was over some time ago."""
    return f"<p>{_link(f'/api/matches/{number}/record', f'The record of match {number}, as text')}.</p>"


def report(entry: Entry, data: bytes) -> bytes:
    """Return the state of a contest, made of its report."""
    parts = fragments(msgspec.json.decode(data, type=Report), entry.contest, entry.known)
    return f'<div class="contest">{parts.contest}</div>'.encode()


def _match_row(one: Listed) -> tuple[str, ...]:
    ended = f"{one.ending.result}: {one.ending.reason}" if one.ending else f"{one.plies} moves"
    game = f"{one.game} {one.parameters}".strip()
    return _link(f"/match/{one.match}", str(one.match)), escape(" – ".join(one.players)), escape(game), escape(ended)


def _link(path: str, words: str) -> str:
    return f'<a href="{path}">{escape(words)}</a>'


def _table(title: str, rows: Iterable[Sequence[str]]) -> str:
    """Return rows of cells, which are markup, below a title."""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<h2>{title}</h2><div class="card scroll"><table>{body}</table></div>' if body else ""

"""Pages for browsers without JavaScript, as HTML. Pure: from structs to markup, which holds no name unescaped."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from html import escape

from engine.games.catalogue import TITLES
from engine.record import players_of, readable, sentence_of
from server.contest.report.page import fragments
from server.match.referee import State
from server.web.assets.texts.catalogue import Texts, texts
from server.web.assets.texts.headings import in_language
from server.web.views.contests import Entry, MakeAnswer, read_report
from server.web.views.lobby import Listed, Overview


def variant_name(variant: str, words: Texts) -> str:
    """Return what a variant is called for people: ``gipf 3 3 9 9`` is GIPF 3 3 9 9."""
    game, _, parameters = variant.partition(" ")
    return f"{words(TITLES.get(game, game))} {parameters}".strip()


def lobby(seen: Overview, words: Texts) -> str:
    """Return who plays whom, the last results, and who is here."""
    players = ", ".join(escape(player.name) for player in seen.players)
    return (
        _table(words("Playing now: {0}", seen.playing), (_match_row(one, words) for one in seen.running))
        + _table(words("Results"), (_match_row(one, words) for one in seen.recent))
        + f"<p>{words('Here now: {0}.', players or words('nobody'))}</p>"
    )


def contests(entries: Sequence[Entry], words: Texts) -> str:
    """Return the contests with how far they are."""
    rows = (
        (
            _link(f"/contest/{one.contest}", one.name),
            escape(words(one.state)),
            words("{0} of {1}", one.done, words.count(one.known, "game")),
            escape(one.leader),
        )
        for one in entries
    )
    return _table(words("Contests"), rows)


def match(state: State, words: Texts) -> str:
    """Return how a match stands that the server knows: players, result, position and moves."""
    history, players = state.history, state.header.players
    ended = words("being played") if state.outcome is None else words.sentence(readable(state.outcome.detail))
    moves = " ".join(f"{number}. {move}" for number, move in enumerate(history.moves, 1))
    game = variant_name(f"{history.position.game.name} {history.position.parameters}", words)
    return (
        f"<h1>{words('Match {0}', state.header.match)}</h1><p>{escape(' – '.join(players))}: {escape(ended)}.</p>"
        f"<p>{escape(game)}</p>{_drawing(state.header.match, words)}"
        f"<p>{escape(words.sentence(history.position.summary()))}</p>"
        f"<p>{escape(moves) or words('No move was made yet.')}</p>"
    )


def record(number: int, text: str, words: Texts) -> str:
    """Return players, result and last position of a match that was over some time ago, and where its record is."""
    told = ""
    with suppress(ValueError):  # a record that was damaged is shown by what can be read
        players = " – ".join(player for _, player in players_of(text))
        told = f"<p>{escape(players)}: {escape(words.sentence(readable(sentence_of(text))))}.</p>"
    return (
        f"<h1>{words('Match {0}', number)}</h1>{told}{_drawing(number, words)}"
        f"<p>{_link(f'/api/matches/{number}/record', words('The record of match {0}, as text', number))}.</p>"
    )


@cache
def report(language: str) -> MakeAnswer:
    """Return what makes the state of a contest of its report, in a language: the same function each time."""

    def answer(entry: Entry, data: bytes) -> bytes:
        parts = fragments(read_report(data), entry.contest, entry.known)
        return in_language(
            f'<div class="contest">{parts.head}{parts.contest}{parts.more}</div>', texts(language, "reports")
        ).encode()

    return answer


def _match_row(one: Listed, words: Texts) -> tuple[str, ...]:
    ended = words.count(one.plies, "move") if one.ending is None else words.sentence(one.ending.sentence)
    game = variant_name(f"{one.game} {one.parameters}", words)
    return _link(f"/match/{one.match}", str(one.match)), escape(" – ".join(one.players)), escape(game), escape(ended)


def _drawing(number: int, words: Texts) -> str:
    """Return the last position of a match as a picture, in the colours of the browser."""
    board = f"/api/v1/matches/{number}/position.svg"
    return (
        f'<p><picture><source media="(prefers-color-scheme: dark)" srcset="{board}?theme=dark">'
        f'<img src="{board}" alt="{words("Position")}" width="480"></picture></p>'
    )


def _link(path: str, words: str) -> str:
    return f'<a href="{path}">{escape(words)}</a>'


def _table(title: str, rows: Iterable[Sequence[str]]) -> str:
    """Return rows of cells, which are markup, below a title."""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<h2>{title}</h2><div class="card scroll"><table>{body}</table></div>' if body else ""

"""A review of a match as text and as JSON."""

from collections.abc import Sequence

from engine.commands import reports
from engine.match.review import Mark, MoveValue, ReviewedMove
from engine.match.verification import Summary
from engine.wire.words import number_of

RESULTS = {1: "win", 0: "draw", -1: "loss"}

TITLES = f"{'ply':>4} {'side':8} {'move':16} {'best':16} {'best is':>9} {'move is':>9} {'loss':>6}"


def heading(summary: Summary, nodes: int) -> list[str]:
    """Return what stands above the moves."""
    return [summary.header.title, f"{nodes} nodes for each position; scores are for the side that moves", TITLES]


def line(reviewed: ReviewedMove, sides: Sequence[str]) -> str:
    """Return a move, what is best and what both are worth; ``=`` is the move itself, ``?`` what is not known."""
    best = "?" if reviewed.best is None else "=" if reviewed.best == reviewed.move else reviewed.best
    loss = "" if reviewed.loss is None else str(reviewed.loss)
    return (
        f"{reviewed.ply:4} {sides[reviewed.side]:8} {reviewed.move:16} {best:16} {_worth(reviewed.best_worth):>9} "
        f"{_worth(reviewed.worth):>9} {loss:>6}  {', '.join(reviewed.marks)}"
    ).rstrip()


def closing(summary: Summary, moves: Sequence[ReviewedMove]) -> list[str]:
    """Return what each side has done, a line each."""
    return [f"{summary.header.who(side)}: {_account(_of_side(moves, side))}" for side in (0, 1)]


def as_json(summary: Summary, nodes: int, moves: Sequence[ReviewedMove]) -> str:
    """Return the whole review."""
    header = summary.header
    position = header.position
    return reports.as_json(
        {
            "report": "review",
            "match": header.match,
            "game": position.game.name,
            "params": position.parameters,
            "sides": [
                {"side": name, "name": header.players[side], **_counts(_of_side(moves, side))}
                for side, name in enumerate(position.game.sides)
            ],
            "nodes": nodes,
            "moves": [_plain(reviewed, position.game.sides) for reviewed in moves],
        }
    )


def _worth(worth: MoveValue | None) -> str:
    if worth is None:
        return "?"
    if worth.result is None:
        return str(worth.score)
    return RESULTS[worth.result] + (f" {worth.plies}" if worth.plies else "")


def _of_side(moves: Sequence[ReviewedMove], side: int) -> list[ReviewedMove]:
    return [reviewed for reviewed in moves if reviewed.side == side]


def _counts(moves: Sequence[ReviewedMove]) -> dict[str, object]:
    """Return figures of the moves of a side; the average is that of moves of which the loss is known."""
    losses = [reviewed.loss for reviewed in moves if reviewed.loss is not None]
    return {
        "moves": len(moves),
        "best": sum(reviewed.best == reviewed.move for reviewed in moves),
        "average_loss": round(sum(losses) / len(losses), 1) if losses else None,
        "known_losses": len(losses),
        **{mark.name.lower(): [reviewed.ply for reviewed in moves if mark in reviewed.marks] for mark in Mark},
    }


def _account(moves: Sequence[ReviewedMove]) -> str:
    counts = _counts(moves)
    parts = [f"{number_of(len(moves), 'move')}, {counts['best']} the best"]
    if counts["average_loss"] is not None:
        known = counts["known_losses"]
        of_these = "" if known == len(moves) else f" in {known} of them"
        parts.append(f"average loss {counts['average_loss']}{of_these}")
    for mark in Mark:
        plies = [reviewed.ply for reviewed in moves if mark in reviewed.marks]
        if plies:
            parts.append(f"{mark} at {', '.join(map(str, plies))}")
    return "; ".join(parts)


def _plain(reviewed: ReviewedMove, sides: Sequence[str]) -> dict[str, object]:
    return {
        "ply": reviewed.ply,
        "side": sides[reviewed.side],
        "move": reviewed.move,
        "worth": _plain_worth(reviewed.worth),
        "best": reviewed.best,
        "best_worth": _plain_worth(reviewed.best_worth),
        "line": reviewed.line,
        "loss": reviewed.loss,
        "marks": [mark.name.lower() for mark in reviewed.marks],
    }


def _plain_worth(worth: MoveValue | None) -> dict[str, object] | None:
    """Return what is known: a score with its depth, or the proven result, with its plies where they are known."""
    if worth is None:
        return None
    if worth.result is None:
        return {"score": worth.score, "depth": worth.depth}
    return {"result": RESULTS[worth.result], "plies": worth.plies}

"""A slow, plain prover of wins by threats in m,n,k-games: the attacker tries what looks sharp, the defender everything.

What it proves is true, since no defence is left out. It shares nothing with the engine.
"""

from tests.oracles.mnk import Field, Position, all_lines, empty_fields, has_line, pieces_in, placed


def completing(position: Position, player: int) -> set[Field]:
    """Return the empty fields on which a piece of a player's completes a line."""
    found = set()
    for line in all_lines(position):
        pieces = pieces_in(position, line)
        if pieces.count(player) == position.length - 1 and 0 in pieces:
            found.add(line[pieces.index(0)])
    return found


def sharp(position: Position, most: int) -> list[Field]:
    """Return empty fields on lines that lack at most so many pieces, fours first: 2 for fours, 3 for open threes."""
    player = position.player
    ranked: dict[Field, int] = {}
    for line in all_lines(position):
        pieces = pieces_in(position, line)
        lacking = pieces.count(0)
        if 3 - player not in pieces and 0 < lacking <= most:
            for field, piece in zip(line, pieces, strict=True):
                if piece == 0:
                    ranked[field] = min(lacking, ranked.get(field, lacking))
    return sorted(ranked, key=lambda field: ranked[field])


def winning_moves(position: Position, plies: int, most: int = 3) -> list[Field]:
    """Return those of the sharp moves that win within so many plies, whatever the opponent does."""
    return [field for field in sharp(position, most) if wins_by(position, field, plies, most)]


def wins_by(position: Position, field: Field, plies: int, most: int) -> bool:
    """Tell whether a move is shown to win within so many plies, with sharp ones behind it."""
    player = position.player
    after = placed(position, field)
    if has_line(after, player):
        return True
    if plies < 3 or completing(after, 3 - player):
        return False
    # whoever does not stop a four has lost
    replies = sorted(completing(after, player)) or empty_fields(after)
    return all(is_won(placed(after, reply), plies - 2, most) for reply in replies)


def is_won(position: Position, plies: int, most: int) -> bool:
    """Tell whether the side to move is shown to win within so many plies."""
    if completing(position, position.player):
        return plies >= 1
    if plies < 3:
        return False
    forced = completing(position, 3 - position.player)
    fields = [field for field in sharp(position, most) if not forced or forced == {field}]
    return any(wins_by(position, field, plies, most) for field in fields)

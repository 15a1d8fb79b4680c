"""The text form of m,n,k positions, both ways, and what can be wrong with one."""

from engine.games.interface import BadParameters, BadPosition
from engine.games.mnk.parameters import Parameters, parse
from engine.games.mnk.rules import State

PLAYERS = "12"
"""What the pieces of the two players are written as; an empty field is 0."""

FIELDS = "0" + PLAYERS

_ONLY_FIRST = str.maketrans("012", "010")
_ONLY_SECOND = str.maketrans("012", "001")


def digits(parameters: Parameters, state: State) -> str:
    """Return the fields in row-major order, a digit each."""
    fields = range(parameters.rows * parameters.columns)
    return "".join(FIELDS[(state.first >> i & 1) + 2 * (state.second >> i & 1)] for i in fields)


def pieces(fields: str) -> tuple[int, int]:
    """Return both players' pieces from one digit a field, in row-major order; every digit is 0, 1 or 2."""
    backwards = fields[::-1]
    return int(backwards.translate(_ONLY_FIRST), 2), int(backwards.translate(_ONLY_SECOND), 2)


def rows(parameters: Parameters, fields: str) -> str:
    """Return lines of one row each from one digit a field, without the last newline."""
    width = parameters.columns
    return "\n".join(" ".join(fields[at : at + width]) for at in range(0, len(fields), width))


def write(parameters: Parameters, state: State) -> str:
    """Return the text of a position, lines ended by newlines."""
    return f"{parameters} {PLAYERS[state.side]}\n{rows(parameters, digits(parameters, state))}\n"


def read_header(words: list[str]) -> tuple[Parameters, int]:
    """Read N, M, K and the player to move, 1 or 2, who is returned as 0 or 1.

    Raises `BadPosition`, code WRONG_GAME_PARAMETERS or WRONG_PLAYER, without a line.
    """
    if len(words) != 4:
        sentence = f"expected N M K and the player to move, as in 3 3 3 1; not {' '.join(words)!r}"
        raise BadPosition("WRONG_GAME_PARAMETERS", sentence)
    try:
        parameters = parse(" ".join(words[:3]))
    except BadParameters as error:
        raise BadPosition("WRONG_GAME_PARAMETERS", str(error)) from None
    if words[3] not in tuple(PLAYERS):
        raise BadPosition("WRONG_PLAYER", f"the player to move is 1 or 2, not {words[3]!r}")
    return parameters, PLAYERS.index(words[3])


def read(text: str) -> tuple[Parameters, State]:
    """Read a position; blank lines and any spaces between fields are allowed, and any numbers of pieces.

    Raises `BadPosition` with the first code that applies: WRONG_GAME_PARAMETERS, WRONG_PLAYER, WRONG_BOARD_FIELD,
    WRONG_BOARD_ROW_LENGTH, WRONG_BOARD_ROW_NUMBER.
    """
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise BadPosition("WRONG_GAME_PARAMETERS", "the text is empty; a position begins with a line N M K player")
    number, words = lines[0]
    try:
        parameters, side = read_header(words)
    except BadPosition as error:
        raise BadPosition(error.code, str(error), number) from None
    board = lines[1:]
    for number, words in board:
        for word in words:
            if word not in tuple(FIELDS):
                raise BadPosition("WRONG_BOARD_FIELD", f"a field is 0, 1 or 2, not {word!r}", number)
    for place, (number, words) in enumerate(board):
        if place >= parameters.rows:
            raise BadPosition("WRONG_BOARD_ROW_NUMBER", f"the board has N = {parameters.rows} rows; one more", number)
        if len(words) != parameters.columns:
            sentence = f"row {place + 1} has M = {parameters.columns} fields, not {len(words)}"
            raise BadPosition("WRONG_BOARD_ROW_LENGTH", sentence, number)
    if len(board) < parameters.rows:
        sentence = f"the board ends after {len(board)} of N = {parameters.rows} rows"
        raise BadPosition("WRONG_BOARD_ROW_NUMBER", sentence, lines[-1][0])
    return parameters, State(*pieces("".join("".join(words) for _, words in board)), side)

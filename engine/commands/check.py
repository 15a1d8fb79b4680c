"""``arena-engine check``: verifies a certificate of a win by the rules alone."""

from engine.commands.inputs import Rejected, answer, text_of
from engine.solve.certificate import BadCertificate, check, read

MAX_BYTES = 1 << 30


def check_certificate(file: str, /) -> None:
    """Play against a certificate in every way: `true WINNER`, with the longest game and the number of positions.

    Parameters
    ----------
    file
        The certificate, as arena-engine solve --proof writes it; - is standard input.
    """
    try:
        claim = read(text_of(file, MAX_BYTES))
        checked = check(claim)
    except BadCertificate as error:
        raise Rejected(f"{file}: {error}") from None
    answer(f"true {('first', 'second')[claim.winner]}")
    answer(f"plies {checked.plies}")
    answer(f"positions {checked.positions}")

"""Tokens can be options of command lines: none begins with a hyphen."""

import string
from pathlib import Path

from server.config import tokens


def test_a_token_has_hexadecimal_digits_alone(tmp_path: Path) -> None:
    made = [tokens.add(tmp_path / "tokens", f"ann-{number}") for number in range(100)]
    made.append(tokens.make_organiser(tmp_path / "organiser"))
    assert all(len(token) == 32 and set(token) <= set(string.hexdigits) for token in made)
    assert len(set(made)) == len(made)

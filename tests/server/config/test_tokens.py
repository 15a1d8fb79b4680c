"""Tokens are made once, hashed, and can be options of command lines: none begins with a hyphen."""

import string
from pathlib import Path

import pytest

from server.config import tokens


def test_a_token_has_hexadecimal_digits_alone(tmp_path: Path) -> None:
    made = [tokens.add(tmp_path / "tokens", f"ann-{number}") for number in range(100)]
    made.append(tokens.make_organiser(tmp_path / "organiser"))
    assert all(len(token) == 32 and set(token) <= set(string.hexdigits) for token in made)
    assert len(set(made)) == len(made)


def test_tokens_are_made_once_kept_hashed_and_read(tmp_path: Path) -> None:
    path = tmp_path / "tokens.txt"
    token = tokens.add(path, "Ann")
    assert token not in path.read_text()
    assert list(tokens.read(path)) == ["ann"]
    with pytest.raises(tokens.BadTokens, match="has a token already"):
        tokens.add(path, "ann")
    with pytest.raises(tokens.BadTokens, match="1 to 32 letters"):
        tokens.add(path, "a b")


@pytest.mark.parametrize("line", ["ann", "ann short", "an/n " + "0" * 64, "ann " + "G" * 64])
def test_fault_of_a_token_file_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "tokens.txt"
    path.write_text(f"# players\nbob {'0' * 64}\n{line}\n")
    with pytest.raises(tokens.BadTokens, match="line 3: expected a name"):
        tokens.read(path)
    path.write_text(f"bob {'0' * 64}\nBOB {'0' * 64}\n")
    with pytest.raises(tokens.BadTokens, match="line 2: BOB has a token on an earlier line"):
        tokens.read(path)

"""Tokens are made once, hashed, and can be options of command lines: none begins with a hyphen."""

import string
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from inline_snapshot.extra import raises

from server.config import tokens


def test_a_token_has_hexadecimal_digits_alone(tmp_path: Path) -> None:
    made = [tokens.add(tmp_path / "tokens", f"ann-{number}") for number in range(100)]
    made.append(tokens.make_organiser(tmp_path / "organiser"))
    assert all(len(token) == 32 and set(token) <= set(string.hexdigits) for token in made)
    assert len(set(made)) == len(made)


def test_tokens_are_made_once_kept_hashed_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("tokens.txt")
    token = tokens.add(path, "Ann")
    assert token not in path.read_text()
    assert list(tokens.read(path)) == ["ann"]
    with raises(snapshot("BadTokens: tokens.txt: ann has a token already; remove its line to make a new one")):
        tokens.add(path, "ann")
    with raises(snapshot("BadTokens: a name is 1 to 32 letters, digits, and any of _ . - behind the first; not 'a b'")):
        tokens.add(path, "a b")


@pytest.mark.parametrize("line", ["ann", "ann short", "an/n " + "0" * 64, "ann " + "G" * 64])
def test_fault_of_a_token_file_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("tokens.txt")
    path.write_text(f"# players\nbob {'0' * 64}\n{line}\n")
    with raises(snapshot("BadTokens: tokens.txt, line 3: expected a name and the SHA-256 of its token")):
        tokens.read(path)
    path.write_text(f"bob {'0' * 64}\nBOB {'0' * 64}\n")
    with raises(snapshot("BadTokens: tokens.txt, line 2: BOB has a token on an earlier line; remove one of them")):
        tokens.read(path)

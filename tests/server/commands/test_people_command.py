"""The command ``arena-server people``: who is invited, and what it does with a directory that is no server's."""

from collections.abc import Callable
from pathlib import Path

import pytest

from server.commands import league


def test_people_are_invited_listed_and_given_roles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "new" / "arena-data"
    league.invite("ann", "bob", data=data, url="https://arena.example.org/")
    links = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    assert [name for name, _ in links] == ["ann", "bob"]
    assert all(link.startswith("https://arena.example.org/join/") for _, link in links)
    league.role("bob", "organiser", data=data)
    league.close("ann", data=data)
    league.show(data=data)
    listed = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    assert [(name, role) for name, role, _ in listed] == [("ann", "author, closed"), ("bob", "organiser")]
    with pytest.raises(SystemExit) as ended:
        league.role("bob", "author", data=data)
    assert ended.value.code == 1 and "the only organiser" in capsys.readouterr().err


@pytest.mark.parametrize(
    "ask",
    [
        lambda data: league.show(data=data),
        lambda data: league.role("ann", "author", data=data),
        lambda data: league.close("ann", data=data),
        lambda data: league.reopen("ann", data=data),
    ],
    ids=["list", "role", "close", "open"],
)
def test_a_directory_that_is_no_servers_stays_what_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ask: Callable[[Path], None]
) -> None:
    data = tmp_path / "mistyped"
    with pytest.raises(SystemExit) as ended:
        ask(data)
    sentence = f"{data} has no accounts: there is no league.sqlite3 in it; give the directory of the server with --data"
    assert (ended.value.code, capsys.readouterr().err) == (2, f"arena-server: {sentence}\n")
    assert not data.exists()

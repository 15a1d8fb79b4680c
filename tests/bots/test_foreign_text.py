"""What a server or an opponent says reaches the terminal as it was written, or not at all."""

import pytest

from bots.client.errors import ServerFault
from tests.bots.test_watch import HELLO, LIST, QUIT, REST, WATCH, watched

MARKUP = ("[bold red]no[/bold red]", "[link=http://example.org]here[/link]", "[/]", ":pile_of_poo:")
CONTROL = ("\x1b[31mred", "a\x07b", "\u202egpj.exe", "\x9b2J", "\u200b")


@pytest.mark.parametrize("text", MARKUP)
@pytest.mark.parametrize("terminal", [False, True])
def test_markup_is_no_markup(text: str, terminal: bool) -> None:
    rest = REST.replace("alice (white) resigned", f"alice {text}")
    output = watched(HELLO + LIST + WATCH + rest + QUIT, terminal=terminal)
    assert f"alice {text}" in output
    if not terminal:
        assert "\x1b" not in output


@pytest.mark.parametrize("text", MARKUP)
def test_markup_in_a_name_is_no_markup(text: str) -> None:
    word = text.replace(" ", "_")
    output = watched(HELLO + LIST + WATCH.replace("alice bob", f"{word} bob") + REST + QUIT)
    assert f"white: {word}, black: bob" in output


@pytest.mark.parametrize("text", CONTROL)
@pytest.mark.parametrize("terminal", [False, True])
def test_what_steers_a_terminal_ends_the_session(text: str, terminal: bool) -> None:
    rest = REST.replace("alice (white) resigned", f"alice {text}")
    with pytest.raises(ServerFault, match=r"U\+[0-9A-F]{4}, cannot be printed") as caught:
        watched(HELLO + LIST + WATCH + rest, terminal=terminal)
    assert str(caught.value).isprintable()

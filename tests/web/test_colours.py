"""The colours of boards: pieces stand out from what they stand on, by day and by night."""

import re
from importlib.resources import files

import pytest

from engine.games.boards.svg import by_light

LEAST = 3.0
"""Contrast of what is no text, by WCAG 2.2, 1.4.11."""

LEAST_TEXT = 4.5
"""Contrast of text, by WCAG 2.2, 1.4.3."""

GROUNDS = {"gipf": "plate", "morris": "plate", "arrows": "cell", "mnk": "cell"}

PIECES = {
    "gipf": (("ivory", "ivory-edge"), ("ebony", "ebony-edge")),
    "morris": (("ivory", "ivory-edge"), ("ebony", "ebony-edge")),
    "arrows": (("first",), ("second",)),
    "mnk": (("first",), ("second",)),
}
"""Colours of each side's pieces against the ground: the body, or its rim."""


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21, as WCAG 2.2 defines it."""

    def luminance(colour: str) -> float:
        parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("night", [False, True])
@pytest.mark.parametrize("game", GROUNDS)
def test_pieces_and_marks_stand_out_from_the_board(game: str, night: bool) -> None:
    seen = by_light(night)
    ground = seen[GROUNDS[game]]
    for side, names in enumerate(PIECES[game]):
        assert max(contrast(seen[name], ground) for name in names) >= LEAST, (side, night)
    assert contrast(seen["light"], ground) >= LEAST
    if GROUNDS[game] == "plate":
        assert contrast(seen["line"], ground) >= LEAST
        assert contrast(seen["on-plate"], ground) >= LEAST_TEXT


@pytest.mark.parametrize("night", [False, True])
@pytest.mark.parametrize("ground", sorted(set(GROUNDS.values())))
def test_the_engine_s_arrows_stand_out_from_the_board_though_they_are_transparent(ground: str, night: bool) -> None:
    styles = (files("server.web") / "assets" / "static" / "boards" / "boards.css").read_text(encoding="utf-8")
    (opacity,) = re.findall(r"\.arrow:not\(\.best\) \{ opacity: ([0-9.]+); \}", styles)
    above, below = (bytes.fromhex(by_light(night)[name][1:]) for name in ("hint", ground))
    share = float(opacity)
    mixed = bytes(round(share * one + (1 - share) * other) for one, other in zip(above, below, strict=True))
    assert contrast(f"#{mixed.hex()}", by_light(night)[ground]) >= LEAST


@pytest.mark.parametrize("night", [False, True])
def test_the_sides_are_told_apart(night: bool) -> None:
    seen = by_light(night)
    assert contrast(seen["ivory"], seen["ebony"]) >= LEAST
    assert min(contrast(seen["on-side"], seen[side]) for side in ("first", "second")) >= LEAST


@pytest.mark.parametrize("night", [False, True])
def test_a_black_piece_beside_the_board_is_filled_and_has_a_rim(night: bool) -> None:
    styles = "".join(
        files(package).joinpath(*path).read_text(encoding="utf-8")
        for package, path in (
            ("server.web", ("assets", "static", "site.css")),
            ("server.contest.report", ("styles", "base.css")),
        )
    )
    colours = {
        name: (day, dark)[night]
        for name, day, dark in re.findall(r"--([a-z-]+): light-dark\((#\w{6}), (#\w{6})\)", styles)
    }
    body, rim = colours["chip-ebony"], colours["chip-ebony-rim"]
    assert contrast(by_light(night)["ivory"], body) >= LEAST
    assert max(contrast(colours["card"], one) for one in (body, rim)) >= LEAST
    assert contrast(colours["card"], body) >= 2, "a ring around the ground would read as a white piece"

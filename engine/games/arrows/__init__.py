"""Arrows: two players lay trails of arrows. A player who cannot place the next arrow loses."""

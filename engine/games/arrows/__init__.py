"""Arrows: two players lay trails of arrows, and who cannot place the next one loses."""

"""The board to think on."""

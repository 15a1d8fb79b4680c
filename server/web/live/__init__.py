"""Live pages: what running matches send to browsers."""

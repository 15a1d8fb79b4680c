"""Layered retrograde analysis: games whose positions fall into layers that are never left upwards."""

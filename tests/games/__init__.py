"""Tests of every game of the catalogue, and of a fifth game outside it."""

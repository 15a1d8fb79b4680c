"""Compiling: plain functions bound to constants, and where their compiled code is kept."""

"""Compiling: plain functions bound to constants, and the disk cache of their compiled code."""

"""Replays: finished matches, analysed in processes of their own."""

"""Tests of protocol.md: its transcripts, its tables, its bot."""

"""Bots: clients of the server that play, without any access that other clients lack."""

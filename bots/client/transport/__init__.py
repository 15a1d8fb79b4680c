"""The way to a server: its address, and streams of bytes to it."""

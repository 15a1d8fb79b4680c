"""Contests while they are played."""

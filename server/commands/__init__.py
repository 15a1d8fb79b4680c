"""The commands of ``arena-server``."""

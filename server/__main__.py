"""``python -m server`` is ``arena-server``."""

from server.cli import main

main()

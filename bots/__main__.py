"""``python -m bots`` is ``arena-bot``."""

from bots.cli import main

main()

"""``python -m engine`` is ``arena-engine``."""

from engine.cli import main

main()

"""Compiled code that comes when a test wants it."""


class CodeAfter:
    """Stands for compiled code that is there after so many looks, or as soon as it was asked for or waited for."""

    def __init__(self, looks: float) -> None:
        self.looks = looks
        self.started = 0

    def is_ready(self) -> bool:
        self.looks -= 1
        return self.looks < 0

    def start(self, *, urgent: bool = False) -> None:
        self.started += 1

    def wait(self, seconds: float | None = None) -> bool:
        return self.is_ready()

"""What a browser is told instead of an answer."""

NOT_TRUE = 3
"""Exit status of a process that has found a record not to be true; an interpreter that fails ends with others."""


class Refused(Exception):
    """A request that is not answered; ``str(error)`` is one sentence that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        """Keep the status of HTTP beside the sentence."""
        super().__init__(sentence)
        self.status = status

"""Errors that a browser is sent in place of an answer."""

MAX_SENTENCE = 400
"""Characters of a sentence; a longer text in it is cut off."""


class Refused(Exception):
    """A request that is not answered; ``str(error)`` is one sentence that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        """Keep the status of HTTP beside the sentence."""
        super().__init__(sentence[:MAX_SENTENCE])
        self.status = status

"""The language in which a browser is answered. Pure."""

import re

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""The languages of the pages, as browsers write them, with their own names."""

USUAL = "en"
"""The language of whoever asks for none of these."""

COOKIE = "language"
"""The cookie that keeps what a reader has chosen."""

RANGE = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]{1,32})?\s*(?:;\s*q=([01](?:\.[0-9]{0,3})?))?\s*")
"""A language that a browser accepts, with its weight."""

MAX_RANGES = 20
"""Languages of a browser that are looked at."""


def language_of(chosen: str | None, accepted: str) -> str:
    """Return the language that was chosen, else the one that a header ``Accept-Language`` likes best."""
    if chosen in LANGUAGES:
        return chosen
    best, most = USUAL, 0.0
    for part in accepted.split(",")[:MAX_RANGES]:
        found = RANGE.fullmatch(part)
        if found is None or found[1].lower() not in LANGUAGES:
            continue
        weight = float(found[2] or 1)
        if weight > most:
            best, most = found[1].lower(), weight
    return best

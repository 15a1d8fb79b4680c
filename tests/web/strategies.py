"""Games that Hypothesis makes for tests of pages."""

from hypothesis import strategies as st


def choices(plies: int) -> st.SearchStrategy[list[int]]:
    """Return numbers for at most so many plies, and at least half; the remainder of each chooses a legal move."""
    return st.lists(st.integers(0, 999), min_size=plies // 2, max_size=plies)

"""Comparisons: matches between two versions of a bot, on this machine, when nothing else is to do.

- `comparisons`: the comparisons in the database
- `playing`: plays one after the other, as matches in sandboxes that go on where they were stopped
"""

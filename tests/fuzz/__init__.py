"""Inputs that nobody would write, against everything that reads text.

- `targets`: what is tried: bytes in, and an error where something is not as it is promised
- `samples`: inputs to begin from
- `mutation`: changed samples, at random: the short form, which the tests run
- `__main__`: the long form, guided by coverage: ``python -m tests.fuzz TARGET RUNS``, with atheris
"""

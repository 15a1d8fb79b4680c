"""Inputs that nobody would write, against everything that reads text.

- `targets`: what is tried: bytes in, and an error where something is not as it is promised
- `samples`: inputs to begin from
- `mutation`: changed samples, at random
"""

"""Tablebases: exact values of all positions of a variant, kept on the disk, by which bots and pages play perfectly.

- `extent`: which layers the tablebase of a variant has, so that it stays small
- `longest`: the longest win of a variant
- `making`: making a tablebase, once on a machine, and in a process of its own beside other work
- `shipped`: tablebases of the smallest boards, which belong to this distribution
- `tablebase`: looking positions up: the value of each move, and a line of perfect play
- `verification`: verifies a tablebase by the rules alone
"""

"""The evaluation of GIPF by patterns: what each line of the board holds is looked up in tables that were trained.

- `entries`: the entries of the tables that positions have, and tables from numbers that were found for entries: for
  training
- `lines`: the lines of a board, numbers for what they hold, and how all of these numbers are found at once
- `tables`: tables of weights from files, and as the evaluation reads them
- `value`: the value of a position, from the tables
"""

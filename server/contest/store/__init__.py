"""What is kept of contests, and how it is held against the records.

- `definition_text`: a contest's definition as text, and back: JSON, a `NamedTuple` being the list of its fields
- `folders`: where a contest keeps what is no record: its report, and what programs have written
- `lost_records`: results whose records are gone, or are others than when the results were kept
- `result_keeping`: keeping a result: its record has to be on the disk before the store has it, so that no power cut
  parts the two
- `schema`: the tables of the store, and how a file of an older version becomes one of this version
- `store`: what is kept of contests: a SQLite database beside the records, from which they go on after a stop or a
  crash
- `verification`: holds the results of a contest against their records and its rules
- `verify_process`: holds a contest against its records, in processes of its own, and says what differs
"""

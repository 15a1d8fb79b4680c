"""The database of contests, and its verification against the records.

- `authors`: what a contest has of a player in a match, for its author, also when the contest is over
- `definition_text`: a contest's definition as text in the database: JSON, with each struct as the list of its fields
- `folders`: the folder of a contest: its report, and the logs of its programs
- `lost_records`: finds results whose records are missing, or have changed since the results were kept
- `result_keeping`: syncs the record of a result to the disk before the store keeps the result
- `schema`: the schema of the database, and the migrations from older versions
- `store`: the store of contests: a SQLite database next to the records, from which contests continue after a crash
- `verification`: verifies the results of a contest against their records and its rules
- `verify_process`: verifies a contest against its records, in worker processes
"""

"""The database of contests, and its verification against the records.

- `authors`: what a contest has of a player in a match, for its author, also when the contest is over
- `definition_text`: a contest's definition as text in the database: JSON, with each struct as the list of its fields
- `folders`: the folder of a contest: its report, and the logs of its programs
- `lost_records`: finds results whose records are missing, or have changed since the results were kept
- `move_cost_process`: the process that looks up what the moves of a contest's games have cost
- `move_costs`: what each move of a contest's games has cost, where a tablebase has the variant: kept beside the report
- `result_keeping`: syncs the record of a result to the disk before the store keeps the result
- `rows`: rows of the store's tables as values, and values as rows
- `schema`: the schema of the database, and the migrations from older versions
- `store`: the store of contests: a SQLite database next to the records, from which contests continue after a crash
- `verification`: verifies the results of a contest against their records and its rules
- `verify_process`: verifies a contest against its records, in worker processes
"""

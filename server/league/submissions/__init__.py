"""Submissions: versions of bots that their authors upload, build, check, qualification.

- `conformance_log`: how far a conformance test has come, and what it has found
- `disk_use`: how much of the disk a folder takes
- `entering`: enters versions in contests, at their deadlines
- `pipeline`: takes each version through its steps, some at once, also after the server has died
- `recipe`: how a version is built and started, told from its files
- `steps`: what is run for each step, in the sandbox
- `turns`: whose version is tried next, and how long that may take
- `unpacking`: unpacks an upload, within bounds
- `versions`: the versions in the database
"""

"""Reports of contests, for people and for programs. Pure, but for `files`; nothing here knows of a server.

- `brackets`: the bracket of a knockout in reports: all meetings up to the final, also those that are open
- `contents`: the report of a contest, from its definition, its games, and how far it has come
- `estimate`: estimates how many games of a contest are left, and how long they will take
- `files`: writes the files of a report: JSON, CSV and the page
- `formatting`: formats numbers, times and foreign text for reports
- `interruptions`: interruptions that were no entrant's fault: pauses, and games that were annulled or set aside
- `progress`: the progress of a running contest, for a live display and as one line
- `ratings_part`: the part of a report about strength: ratings, likelihoods of superiority, comparisons, and variants
- `render`: the report as text and as HTML, from the templates and style sheets in ``templates/``
- `stages`: the part of a report about a stage: its table and its crosstable
- `structure`: a report as plain data, from which all outputs are made, and the schema of its JSON
"""

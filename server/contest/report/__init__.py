"""Reports of contests, for people and for programs. Pure, but for `files`; nothing here knows of a server.

- `brackets`: the bracket of a knockout as a report shows it: every place up to the final, those that are still open
  too
- `contents`: the report of a contest, from its definition, its games, and how far it has come
- `estimate`: how many games of a contest are left, and how long they are going to take
- `files`: the report as files in a folder: JSON, CSV and the page
- `formatting`: numbers, times and foreign text as people read them in reports
- `interruptions`: what went wrong in a contest through no entrant's fault: pauses, and games that were annulled or
  set aside
- `progress`: how far a contest has come, while it is played: for a live display, and as one line
- `ratings_part`: the part of a report that tells who is stronger: ratings, likelihoods of superiority, comparisons,
  and variants
- `render`: the report as text and as HTML, of the templates and style sheets in ``templates/``
- `stages`: the part of a report that tells of one stage: its table and its crosstable
- `structure`: a report as plain data: what all of its outputs show, and what stands in its JSON
"""

"""What a contest has come to, for people and for programs. Pure, but for `files`; nothing here knows of a server.

- `structure`: all that a report tells, as plain data
- `contents`: the report, from the definition of a contest and its games; with `stages`, `brackets` and `strengths`,
  parts of it
- `estimate`: how many games are left, and how long they take
- `progress`: how far a contest has come, drawn for a terminal and as a line
- `words`: numbers, times and foreign text as they are shown; `marks`: by what tables rank
- `interruptions`: what went wrong through no entrant's fault
- `text`: the report in a terminal
- `page`: the report as one HTML page; with `page_stages`, `page_bracket`, `page_strengths`, `page_games`
  and `page_parts`, its tables, `plot`, the rating plot, `markup`, elements whose text is escaped, and `style`, how it
  looks
- `files`: JSON, CSV and the page in a folder
"""

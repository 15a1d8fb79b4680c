"""The report as text and as HTML.

- `dry_run`: what a contest is going to take, a line for each stage
- `environment`: the Jinja2 environment of reports, which escapes markup and control characters
- `games`: groups the games of a report, and formats a game for their tables
- `page`: the report as HTML: a page without scripts for the folder, and fragments for a page of the server
- `plot`: the layout of the plot of ratings: a line for each name with its interval, the strongest on top
- `swiss`: the rounds of a Swiss as rows: whom each has met, with which results, and the points so far
- `text`: the report in a terminal
- `tie_breaks`: the columns of a format's table that decide the rank, in their order
"""

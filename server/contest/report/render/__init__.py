"""The report as text and as HTML.

- `environment`: the Jinja2 environment of the report: no value becomes markup, and none controls who reads it
- `games`: all games in groups, and the words of a game in their tables
- `page`: the report as HTML: one page without a script for the disk, and the parts that a page of the server shows
- `plot`: where everything is in the plot of ratings: a line a name with its interval, the strongest on top
- `text`: the report in a terminal
- `tie_breaks`: by what tables rank: the columns that a format has, in the order in which they decide
"""

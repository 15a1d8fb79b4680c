"""The report as text and as an HTML page.

- `bracket`: the bracket of a knockout on the page: a list of rounds, each of meetings
- `games`: all games on the page, meeting by meeting, with links to their records
- `markup`: HTML and SVG made of elements: whatever is not markup already is escaped, so that no text can become
  markup
- `page`: the report as one HTML page: no script, nothing from elsewhere, and no text of an entrant becomes markup
- `parts`: tables of the page in one shape: a caption, heads with scopes, and a box of their own in which wide ones
  scroll
- `plot`: ratings with their intervals as a picture: a line a name, the strongest on top, as SVG in the page's colours
- `ratings`: who is stronger, on the page: ratings, likelihoods of superiority, comparisons, and what beginning is
  worth
- `stages`: the stages on the page: standings, crosstables, and the qualification
- `style`: how the page looks: restrained, on light and dark screens, on desks and phones, and on paper
- `text`: the report in a terminal
"""

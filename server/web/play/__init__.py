"""Playing in the browser.

- `exact`: what every move of a position leads to with perfect play, as tablebases know it: the atlas shows that
- `analysis`: a board to think on
- `makings`: how many tablebases each address has had made of late
- `pictures`: of a position, of a whole game, and the card that other sites show with a link
- `questions`: the questions of the page for playing, and their answers
- `routes`: playing in the browser, as routes of the web application: how a game stands, which rows to choose, the
  bot's move
- `worker`: the process that looks and thinks for the page
- `workers`: processes that answer questions: started when somebody asks, and no more than so many
"""

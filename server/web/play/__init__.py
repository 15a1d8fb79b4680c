"""Playing in the browser.

- `questions`: what the page for playing asks, and what it is told
- `routes`: playing in the browser, as routes of the web application: how a game stands, which rows to choose, the
  bot's move
- `worker`: the process that looks and thinks for the page
- `workers`: the processes of `server.web.play.worker`: started when somebody asks, and no more than so many
"""

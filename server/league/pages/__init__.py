"""Pages and forms of the league, made on the server: they need no script.

- `account_pages`: joining, one's own account, and the organiser's page of people
- `bot_access`: whose bot a page is about, and who may see it
- `comparison_pages`: matches between two versions of a bot
- `identity`: who asks: cookies, forms that other sites cannot send, and proxies that sign people in
- `ladder_pages`: the standings of the ladder, and how each version of a bot has fared
- `ladder_results`: how each version of a player has fared, from the database
- `ladder_view`: what these show (pure)
- `rendering`: the templates
- `version_pages`: versions of bots: sending one, watching its steps, choosing which one plays
"""

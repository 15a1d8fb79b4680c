"""Commands that keep what a server has, and look at it while it runs.

- `announce`: tells everybody something
- `audit`: ``arena-server audit``: prints what organisers and others have done
- `backup`: ``arena-server backup`` and ``arena-server restore``
- `finding`, `league_files`: what ``arena-server doctor`` finds, and what it looks at in a league
- `ladder`: ``arena-server ladder``: pauses the ladder, says how it stands, and exports a month of it
- `overview_text`: what goes on at a server, as tables
- `running_server`: ``arena-server now``, ``annul`` and ``dismiss``: asks the server that is running
- `verify`: ``arena-server verify``: says whether an exported contest, or month of the ladder, is true
"""

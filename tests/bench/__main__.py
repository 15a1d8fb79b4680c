"""Run every benchmark, or those that are named: ``python -m tests.bench [NAME]...``, where NAME is one of `BENCHES`.

``python -m tests.bench soak [--minutes 30]`` takes as long as it says, and is run only where it is named.
"""

import sys
from collections.abc import Callable

from tests.bench import (
    contests,
    flags,
    games,
    guesses,
    hostile,
    perft,
    playing,
    profile,
    requests,
    routes,
    server,
    soak,
    solving,
    sync,
    thinking,
    web,
)

BENCHES: dict[str, Callable[[], object]] = {
    "perft": perft.run,
    "games": games.run,
    "thinking": thinking.run,
    "solving": solving.run,
    "server": server.run,
    "sync": sync.run,
    "flags": flags.run,
    "profile": profile.run,
    "requests": requests.run,
    "guesses": guesses.run,
    "hostile": hostile.run,
    "playing": playing.run,
    "web": web.run,
    "routes": routes.run,
    "contests": contests.run,
}

words = sys.argv[1:]
if words[:1] == ["soak"]:
    soak.run(*map(float, words[2:]))
else:
    for name in words or BENCHES:
        BENCHES[name]()

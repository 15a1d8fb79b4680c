"""Which games the ladder plays: how they are chosen, and that each choice is kept, so that anybody can make it again.

- `choices`: the choices in the database: what was known, what was chosen
- `choosing`: a choice, from all that it depends on (pure)
- `counts`: who has played lately, whom and what (pure)
- `scheduler`: which games are played next (pure)
"""

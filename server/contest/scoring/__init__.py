"""Scoring: results, ratings, and who is disqualified. Pure.

- `annulments`: which results stand after the organiser's interventions, and which of them others rest on
- `comparison`: two entrants against each other: Elo and a sequential test from their pairs of games, as in a duel of
  engines
- `disqualification`: why games were lost, and whom that disqualifies
- `game_result`: what a contest keeps of a match that is over
- `no_shows`: who does not come: games of entrants that are missing are lost, but only when there is nothing else to
  play
- `ratings`: ratings by maximum likelihood, how sure they are, and who is likely to be stronger than whom
- `strength_model`: the model of strength behind ratings: its likelihood, and where that is largest
"""

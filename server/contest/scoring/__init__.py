"""Scoring: results, ratings, and who is disqualified. Pure.

- `annulments`: annulments: results after the organiser's interventions, and pairings that depend on a result
- `comparison`: compares two entrants: Elo and a sequential test from their pairs of games, as in a duel of engines
- `disqualification`: causes of lost games, and disqualifications
- `game_result`: the result of a fixture from its finished match
- `no_shows`: no-shows: missing entrants lose games, but only if nothing else can be played
- `perfect_play`: how perfectly entrants have played in variants of which a tablebase has every value
- `ratings`: ratings by maximum likelihood, their intervals, and likelihoods of superiority
- `strength_model`: the model of strength behind ratings: its likelihood, and the maximum of that
"""

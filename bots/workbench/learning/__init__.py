"""Environments for programs that learn from play, and bots of what was learned.

- `episode`: a game that is played by actions
- `pettingzoo_env`: an environment of PettingZoo
- `open_spiel_game`: a game of OpenSpiel; its bots as bots of the arena
- `policy_bot`: a bot of a function from observations to actions
"""

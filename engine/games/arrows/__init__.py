"""Arrows: two players lay trails of arrows, and who cannot place the next one loses.

- `board`: the text form of positions of arrows, both ways: the board file, and behind it the moves that were played
- `drawing`: a board of arrows drawn for people
- `endgame`: the endgame of arrows: who wins a race, in which no field is left that both sides can reach
- `evaluation`: what the search needs to know of a position of arrows: what it is worth, what is its hash, what is
  worth trying
- `geometry`: where the fields of boards lie, as bits of two words, in one layout for all boards
- `kernel`: the rules and the evaluation of arrows bound to the one layout of all boards, interpreted or compiled
- `parameters`: the set-up of a game of arrows: the board, the two first arrows and the blocked fields
- `position`: arrows behind the one interface of `engine.games.interface`
- `rules`: the rules of arrows as plain functions over integers, for all boards alike
"""

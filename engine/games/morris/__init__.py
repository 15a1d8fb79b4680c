"""Nine men's morris.

- `board`: the text form of positions of nine men's morris, both ways, and what can be wrong with one
- `drawing`: a board of nine men's morris drawn for people, with the numbers of the fields beside it
- `evaluation`: what the search needs to know of a position of nine men's morris: is it over, what is it worth, what
  is its hash
- `fields`: the board of nine men's morris: 24 fields, a set of them as the bits of a number
- `kernel`: rules, evaluation and symmetry of nine men's morris bound together, interpreted or compiled
- `notation`: moves of nine men's morris as text, both ways: numbers of fields, separated by spaces
- `position`: nine men's morris behind the one interface of `engine.games.interface`
- `rules`: the rules of nine men's morris as plain functions over integers
- `symmetry`: positions of nine men's morris that mirror each other, and the one that stands for them all
"""

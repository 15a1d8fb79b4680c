"""Opening books: positions near the start, searched for longer than a match allows, and the moves that they tell.

- `book`: looking positions up in a book, the one of this distribution or another one
- `book_file`: the file of a book: what it was made with, a record for each position, and a checksum
- `checking`: whether a book is what the rules and its own records say it has to be
- `growth`: how a book grows: which search comes next, and what all of them come to
- `searches`: the searches that a book is made of, and the file that keeps them
- `symmetry`: keys that positions share which mirror each other
"""

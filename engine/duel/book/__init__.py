"""Opening books: positions near the start, searched for longer than a match allows, and the moves that they tell."""

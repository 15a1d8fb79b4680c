"""What a bot answers: its move, and its notes.

- `choice`: what a bot has chosen, checked: a legal move, or a sentence that says what it is and what would be right
- `notes`: the notes of a bot, made from what it says, and sent as long as the server knows NOTE
"""

"""What a bot answers: its move, and its notes.

- `choice`: what a bot has chosen, checked: a legal move, or a sentence that says what it is and what would be right
- `log_lines`: lines for the author's log of a match: the traceback of a bot that has failed
- `notes`: the notes of a bot, made from what it says, and sent as long as the server knows NOTE
"""

"""What a bot answers: its move, and its notes.

- `choice`: what a bot has chosen: the move in it, or what is wrong with it
- `notes`: the notes of a bot, made from what it says, and sent as long as the server knows NOTE
"""

"""Which games the ladder plays: how they are chosen, and that each choice is kept, so that anybody can make it again."""

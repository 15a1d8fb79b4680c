"""Which programs of a class resemble each other: a list for people to look at, never a verdict."""

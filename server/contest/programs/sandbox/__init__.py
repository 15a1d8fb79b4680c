"""The sandbox around a program: what it may see, use and call, and on which cores."""

"""The ladder: bots that play each other all the time, and their ratings."""

"""Commands that keep what a server has, and look at it while it runs."""

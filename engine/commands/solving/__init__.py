"""Commands that find out who wins with perfect play."""

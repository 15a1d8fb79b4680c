"""The programming interface for others: version 1 of what programs may ask over HTTP; docs/api.md has examples."""

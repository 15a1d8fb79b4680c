"""The pages: watching, replaying and playing in the browser; docs/api.md has their requests."""

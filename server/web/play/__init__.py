"""Playing in the browser."""

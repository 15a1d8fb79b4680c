"""What pages show, as plain data."""

"""A form by whose fields a contest is written, as the text of a contest file."""

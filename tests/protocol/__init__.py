"""What protocol.md says is true: its transcripts, its tables, its bot."""

"""The report as text and as HTML."""

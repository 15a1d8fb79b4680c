"""The data of pages."""

"""The atlas of solved variants."""

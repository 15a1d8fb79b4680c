"""Golden files: stored games with the reports, ratings and verdicts that must follow from them."""

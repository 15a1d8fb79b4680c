"""The situations of the conformance test, by subject."""

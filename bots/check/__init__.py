"""A conformance test for bots: a small server that brings a bot into situations, and reports its faults."""

"""The network: listeners, connections, send queue, rate limits, latency, stalls of the event loop."""

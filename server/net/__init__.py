"""The network: listeners, connections and their pass, rate limits, latency, stalls of the event loop."""

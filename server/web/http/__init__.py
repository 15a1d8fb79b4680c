"""HTTP: connections, request bodies, errors, and quotas of clients."""

"""HTTP: connections, requests within bounds, errors, static files, and quotas of clients."""

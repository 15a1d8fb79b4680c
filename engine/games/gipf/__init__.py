"""GIPF in every generalised variant L = (S, K, GW, GB)."""

"""Which variants are solved, and how they end."""

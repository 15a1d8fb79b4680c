"""What each of the three programs has beside its commands."""

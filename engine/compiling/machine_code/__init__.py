"""Machine code of compiled functions: as files, and as what comes with the distribution."""

"""How long a test waits before it fails."""

import os

WAIT_SECONDS = 60.0 * float(os.environ.get("ARENA_SLOWNESS", "1"))
"""Longest wait for one answer, one process or one match. The variable is the factor of a slow or busy machine."""

BUILD_SECONDS = 5 * WAIT_SECONDS
"""Longest run of a compiler, of an installer, which may use a network, or of a whole contest."""

"""How long a test waits before it fails."""

import os

TEST_SECONDS = 60.0 * float(os.environ.get("ARENA_SLOWNESS", "1"))
"""Longest run of a quick test, or of one that opens pages. The variable is the factor of a slow or busy machine."""

WAIT_SECONDS = TEST_SECONDS / 2
"""Longest wait for one answer, one process or one match: shorter than the test, which then says which wait it was."""

BUILD_SECONDS = 5 * TEST_SECONDS
"""Longest run of a compiler, of an installer, which may use a network, or of a whole contest."""

CAMPAIGN_SECONDS = 14_400.0
"""Longest run of a test of ``make campaign``, with its many inputs."""

"""What the organiser of a league lets people keep on the server: the table ``[league]`` of the configuration file."""

from typing import Annotated

import msgspec

from server.config.declared import Range


class LeagueRules(msgspec.Struct, frozen=True, kw_only=True):
    """How much people may keep, and when what is removed."""

    quota: Annotated[int, Range(1, 1_000_000, "megabytes")] = 512
    """Megabytes on the disk of all versions of a person."""
    built_versions: Annotated[int, Range(1, 1000, "versions")] = 10
    """Newest versions of a bot that stay built. Of an older one the upload stays, to be built again when it plays."""
    log_days: Annotated[int, Range(1, 3650, "days")] = 365
    """Days after which logs of versions are removed."""

    @property
    def quota_bytes(self) -> int:
        """Return the quota in bytes."""
        return self.quota << 20

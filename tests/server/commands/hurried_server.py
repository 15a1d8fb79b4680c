"""``arena-server`` with a write timeout of a second, so that a peer that never reads is soon dropped."""

from server.config import settings

if __name__ == "__main__":
    settings.WRITE_SECONDS = 1.0  # before any module has taken the usual one from there

    from server import cli

    cli.main()

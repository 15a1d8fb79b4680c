"""Reports of contests, for people and for programs. Pure, but for `files`; nothing here knows of a server."""

"""The pages: watching, replaying and playing in the browser; docs/web.md tells how pages and server talk."""

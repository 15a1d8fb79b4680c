"""The way to a server: its address, and streams of bytes to it.

- `address`: the address of a server, with TLS settings
- `streams`: streams of bytes: over TCP, encrypted, over WebSocket, and on this program's own pipes
- `web_socket`: a WebSocket as a stream of bytes
"""

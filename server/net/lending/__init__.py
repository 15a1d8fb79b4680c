"""Connections that another process of the server has for a while."""

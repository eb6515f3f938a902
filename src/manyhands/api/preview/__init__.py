"""Previews: a reverse proxy to the web services of sessions, on a port of its own."""

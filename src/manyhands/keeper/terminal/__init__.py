"""Terminals of a session: their programs, what these wrote, and who looks on."""

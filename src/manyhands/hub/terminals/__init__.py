"""Terminals of sessions, and commands that a person runs in them."""

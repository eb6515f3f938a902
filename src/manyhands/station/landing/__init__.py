"""Commits, merges, updates, checks and pushes, where the repository lies."""

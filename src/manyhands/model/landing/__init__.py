"""Commits, pull requests, merges and updates."""

"""Worktree, setup, ports and database of a session."""

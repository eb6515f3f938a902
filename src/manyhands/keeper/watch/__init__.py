"""Watching a worktree: what was written, and what that makes of the diff."""

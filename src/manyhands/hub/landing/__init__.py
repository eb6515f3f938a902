"""From a worktree to the main branch: commits, updates, pull requests, merges."""

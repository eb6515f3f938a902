"""From a base to a worktree that is ready to run."""

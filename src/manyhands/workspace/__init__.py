"""From "branch" to "ready to run" and back: what makes a worktree a place to work in."""

"""The exact state of a worktree as git objects, and back."""

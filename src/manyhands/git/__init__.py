"""Everything git: the one runner, refs, worktrees, snapshots, diffs and rescue.

Synchronous (callers use threads), bytes inside, an explicit directory everywhere.
"""

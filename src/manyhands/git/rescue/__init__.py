"""What a removal would lose: what a worktree alone holds, keeping it, and moving it to the trash.

`survey` says what would be lost, `keep` makes a private ref hold every object, `to_trash` and
`from_trash` move the directory. In this order, nothing is at any moment only in one place
that a kill, `git gc --prune=now` or `git worktree prune` could take away.
"""

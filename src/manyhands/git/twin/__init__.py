"""The twin: a private git directory for whoever works in a worktree apart from its repository.

The host's linked worktree and the twin are two git directories over the same files. The twin
borrows the repository's objects; what is committed there comes over by a fetch (`bring_in`), what
moved here is handed out (`hand_out`), and `sync` decides which. Whoever has the twin owns it: from
the moment it is used nothing in it is trusted, and the host neither runs nor writes anything there.
"""

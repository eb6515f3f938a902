"""What all worktrees of a repository share: branches, tags, the stash, the config.

`load_shared` says how they are, `keep` makes private refs hold all of it, `find_changes` tells what
was lost from one moment to the next, `bring_back` puts it back by compare-and-swap.
"""

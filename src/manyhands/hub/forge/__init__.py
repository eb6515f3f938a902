"""The forge of a repository, and the tasks that come from it."""

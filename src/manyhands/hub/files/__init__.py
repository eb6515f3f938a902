"""A session's files as they were and are: checkpoints, diffs, going back."""

"""A session's state as a fold of its events."""

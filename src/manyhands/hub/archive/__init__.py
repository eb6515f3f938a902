"""Putting a session away, bringing it back, and removing it for good."""

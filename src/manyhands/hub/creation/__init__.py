"""From a name to a session that is ready to run."""

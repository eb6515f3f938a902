"""Services of a session: what is to run, and what became of it."""

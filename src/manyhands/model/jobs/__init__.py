"""Work of several recorded steps that survives a kill."""

"""Programs: a table of what they do with their words, and readers where a table cannot tell."""

"""What is done where a repository lies: the hub decides, a station does."""

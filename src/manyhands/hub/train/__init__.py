"""The merge train: cars are tested on what is ahead of them, and land in order."""

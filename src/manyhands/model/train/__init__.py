"""The merge train: cars that wait for one branch, and what becomes of each."""

"""What agents report, cost and are allowed."""

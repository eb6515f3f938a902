"""What is known of a repository."""

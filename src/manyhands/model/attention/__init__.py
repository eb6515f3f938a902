"""What is open for a person."""

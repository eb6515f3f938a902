"""What confines everything that a repository or an agent runs."""

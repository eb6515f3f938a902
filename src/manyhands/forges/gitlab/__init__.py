"""GitLab, gitlab.com and self-managed."""

"""What differs: whole trees, single paths, what a person has viewed."""

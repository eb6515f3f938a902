"""The forecast of conflicts between trees that move."""

"""The live forecast of conflicts."""

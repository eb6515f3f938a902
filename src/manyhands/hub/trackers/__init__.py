"""Issues, wherever they are kept: taken in, told how far the work is, and made."""

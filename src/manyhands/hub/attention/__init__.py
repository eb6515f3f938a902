"""What needs a person, how they are told, and what they answer."""

"""The words of Manyhands: ids, states, events and commands. Pure; imports nothing but errors."""

"""What an agent may do: modes, rules, and how a person is asked."""

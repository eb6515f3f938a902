"""Who works: keepers, places, budgets, and the words that go to agents."""

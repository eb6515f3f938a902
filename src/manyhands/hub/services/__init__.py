"""Services beside the agents: dev servers and what they need."""

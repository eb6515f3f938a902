"""Any agent that speaks the Agent Client Protocol, driven over a child of ours."""

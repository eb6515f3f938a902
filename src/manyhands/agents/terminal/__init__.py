"""Any program by its screen."""

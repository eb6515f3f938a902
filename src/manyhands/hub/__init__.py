"""The one daemon per user: owns the store and all decisions; one module per operation."""

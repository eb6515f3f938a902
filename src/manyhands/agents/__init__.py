"""The programs that code: one protocol, one module per kind, and the catalogue of known agents."""

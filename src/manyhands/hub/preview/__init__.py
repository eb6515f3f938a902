"""Pictures of previews."""

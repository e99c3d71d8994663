"""Pictures of the main pages, for a person to look at: `make pictures`."""

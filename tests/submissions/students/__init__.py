"""One student over all courses."""

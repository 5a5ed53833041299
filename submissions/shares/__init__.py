"""Share links, and requests to read work of another course."""

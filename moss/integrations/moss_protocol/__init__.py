"""The protocol of the MOSS service's clients, and the result pages that they read."""

"""A bundled class of invented submissions for trying out the comparison."""

"""LTI 1.3: people come from their platform to the course that belongs to theirs. See docs/do/lti.md."""

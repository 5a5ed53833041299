"""LTI 1.3: people come from their learning platform to the course that belongs to theirs. See docs/lti.md."""

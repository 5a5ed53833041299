"""Submissions that are fetched from Git repositories, whose addresses an instructor lists."""

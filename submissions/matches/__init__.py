"""Matches between two submissions as pages, commands and the API show them alike; without Django."""

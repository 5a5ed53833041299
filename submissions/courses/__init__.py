"""Courses and their assignments: people, roles, rosters, settings, retention."""

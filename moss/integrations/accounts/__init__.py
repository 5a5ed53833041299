"""The accounts of users: their sessions, and changing a password."""

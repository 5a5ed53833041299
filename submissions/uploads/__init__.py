"""Uploads of an assignment: batches, their sources, documents and boilerplate."""

"""The papers' experiments made again, one module a figure."""

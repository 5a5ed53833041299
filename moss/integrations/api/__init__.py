"""The REST API: the same objects and rights as on the pages, for other programs."""

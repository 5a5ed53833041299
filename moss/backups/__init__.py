"""A backup of an installation as one file: the database and the uploads that are stored elsewhere."""

"""One student over all courses: what is stored of this person, its export and its erasure.

`register` lists every column of the database that can hold text, and what an erasure does with it.
"""

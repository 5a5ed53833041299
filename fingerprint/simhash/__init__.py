"""Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (2007).

documents        section 2: SimHash of a document's features
index            section 3: all fingerprints within a Hamming distance, online (3.1) and in batches (3.3)
tables           section 3.1: sorted tables of permuted fingerprints
designs          sections 3.1.1 and 3.1.2: leading bits of each table, and the number of tables that is needed
blocks, huffman  section 3.2: compression of the tables
"""

from fingerprint.simhash.documents import simhash

__all__ = ["simhash"]

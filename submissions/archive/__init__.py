"""Archive screening: find near-duplicates among many documents by their sketches, features and SimHashes.

signatures  read documents, compute sketch, features and SimHash by a recipe, and write them
corpora     list, find and delete corpora; compare new documents with one
jobs        add documents to a corpus in sweeps and cluster it, in this process or by all workers
models      its tables; apps registers them
"""

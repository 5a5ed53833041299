"""Archive screening: find near-duplicates among many documents by their sketches, features and SimHashes.

adding         read documents into a corpus, in sweeps
clustering     clusters of near-duplicates within a corpus
corpora        list, find and delete corpora
html           the visible text of HTML pages
matching       comparisons of new documents with stored ones, on arrays
models         database tables
new_documents  read documents that are compared but not stored
packets        parts of the work as bytes
reading        decode documents and turn them into tokens
recipe         the signatures of a document: sketch, features, SimHash
screening      compare new documents with a corpus
sharing        have all workers compute parts of adding and clustering
stored         read signatures and document names from the database
storing        read documents of a sweep and write them
tasks          the Celery task of a part
"""

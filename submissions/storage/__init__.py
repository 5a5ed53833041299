"""Store and load fingerprints, tokens, syntax spans and source texts.

fingerprints  positional fingerprints of documents as packed bytes
posting_runs  which documents have a hash, as sorted runs of blocks
postings      documents that share fingerprints, by look-up
tokens        token streams, their lines, and terms as packed bytes
syntax_spans  spans of Pygments' syntax colours as packed bytes
sources       texts of stored files and documents
"""

"""Store and load fingerprints, tokens, syntax spans and source texts.

fingerprints  positional fingerprints as rows in Postgres
postings      documents that share fingerprints, by look-up
binary_copy   arrays of integers in Postgres's binary COPY format
tokens        token streams, their lines, and terms as packed bytes
syntax_spans  spans of Pygments' syntax colours as packed bytes
sources       texts of stored files and documents
"""

"""What is stored of documents, and how it is packed.

fingerprints  positional fingerprints as rows in Postgres
binary_copy   columns of numbers in Postgres's binary COPY format
tokens        token streams, lines and terms as bytes
syntax_spans  what Pygments colours, as bytes
sources       the text of a stored file
"""

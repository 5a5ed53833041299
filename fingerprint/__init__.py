"""The engine: token streams in, fingerprints, pairs and passages out. Knows no framework."""

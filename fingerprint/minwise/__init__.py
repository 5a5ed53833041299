"""Broder, "Identifying and filtering near-duplicate documents" (2000).

features  section 2: min-wise sketches; section 3: features and super-features; section 4: choice of a filter
binned    a sketch with the same estimate in about one pass (Dahlgaard, Knudsen and Thorup, 2017)
"""

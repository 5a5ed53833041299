"""Sketches of documents: the algorithms of three papers, for near-duplicates among many documents.

Broder, Glassman, Manasse and Zweig, "Syntactic clustering of the Web" (1997):
shingling      section 2, "Defining similarity of documents"; section 3, MIN, MOD and adaptive sketches;
               "Super shingles"; "Identical documents"
clustering     section 4, "The clustering algorithm", in its four phases, also in shards of values;
               "Algorithms": divide, sort, merge within a memory budget

Broder, "Identifying and filtering near-duplicate documents" (2000):
minwise        section 2: min-wise sketches; section 3: features; section 4: choice of a filter

Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling" (2007):
simhash        section 2: SimHash of a document's features; section 3.1: sorted tables
hamming_index  section 3: fingerprints within a Hamming distance, online and in batches; compression (3.2)
"""

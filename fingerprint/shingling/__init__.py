"""Broder, Glassman, Manasse and Zweig, "Syntactic clustering of the Web" (1997).

shingles       section 2, "Defining similarity of documents": shinglings, resemblance, containment;
               section 3, "Estimating the resemblance and the containment": MIN, MOD and adaptive sketches;
               "Super shingles"
sketches       sketches of many documents; "Identical documents"
clusters       section 4, "The clustering algorithm", in its four phases
shards         the same in shards of values, for several processes
external_sort  "Algorithms": divide, sort, merge within a memory budget
sweeps         "Lost and found", "Characterizing how pages change over time"
"""

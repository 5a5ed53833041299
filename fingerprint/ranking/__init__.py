"""Ranking of the pairs of a cohort: choice of the pairs, their passages and their similarity.

inputs            tokens, terms and fingerprints of a cohort as arrays
cohort            the submissions as arrays for the kernels, with the excluded code marked
weights, terms    weights by rarity in the cohort, of tokens and of names and literals
groups            submissions that are not compared with each other
candidates        the pairs that share fingerprints (winnowing, section 5.2)
alignment         the tokens of a cohort with an index of their k-grams
runs, edges       runs of equal tokens of two submissions, and where they end
tiling            the passages, chosen among the runs
repetition        the runs of pairs that are too repetitive to list all of them
parallel          the kernels on all cores, in chunks
sorting           sorts that are faster than those of NumPy for what they sort
coverage          how much of two submissions their passages cover
blocks            passages with small insertions between them as one
scoring           the similarity of a pair; score_constants has every constant
shared_kgrams     bounds of what passages cover, from the k-grams that both sides have
upper_bounds      bounds of the similarity, which are cheaper than the similarity
best_pairs        the best pairs without scoring all pairs
threshold         the suggested threshold
whole_lines       code that is shown alone, cut to whole lines
duplicates        groups of submissions that are the same
pair_passages     the passages of many pairs as arrays; passages has the type of one
rank              the functions that use all this, and the types of their results
"""

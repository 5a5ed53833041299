"""Rank the pairs of a cohort: which pairs to compare, what they share, and how much that weighs.

inputs            tokens, terms and fingerprints of a cohort as arrays
cohort            submissions laid out for the kernels, with what is excluded
weights, terms    rarity of k-grams, names and literals in the cohort
candidates        pairs that share fingerprints (winnowing, section 5.2)
alignment, tiling equal runs of two submissions, and the passages among them
scoring           the similarity of a pair; score_constants has every constant
upper_bounds      the best pairs without scoring all of them
threshold         the suggested threshold
duplicates        submissions that are the same
rank, passages    the two functions that put this together, and what they return
"""

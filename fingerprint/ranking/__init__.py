"""Ranking of the pairs of a cohort: choice of the pairs, their passages and their similarity.

cohort           the submissions as arrays for the kernels, with the excluded code marked
weights, terms   weights by rarity in the cohort, of tokens and of names and literals
groups           submissions that are not compared with each other, or that are the same
candidates       the pairs that share fingerprints (winnowing, section 5.2)
alignment        an index of the k-grams of a cohort, and runs of equal tokens of two submissions
file_pairs       which files of two submissions belong together
tiling           the passages, chosen among the runs
passages         the passages of pairs, where passages with small insertions between them are one
parallel         the kernels on all cores, in chunks
sorting          sorts that are faster than those of NumPy for what they sort
scoring          the similarity of a pair
score_constants  every constant of the score, with its reason
best_pairs       the best pairs without scoring all pairs, by upper bounds of their similarity
translations     pairs in different languages
threshold        the suggested threshold
common_code      runs of common code to show, and the lines that most of a class share
rank             the functions that use all this, and the types of their results
"""

"""Interface of the engine: the functions that an application calls, with their argument and result types.

    reading = engine.read(data, "Main.java")
    fingerprints = engine.fingerprint(reading.tokens.kinds, params)
    inputs = engine.RankingInput.from_files(files, submissions, params.k)
    ranking = engine.rank(inputs)
    passages = engine.pair_passages(inputs, ranking.pairs, ranking.units).of(0)

A name is imported when it is first used, so a web page that only decodes a file does not load numba.
"""

from fingerprint._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)

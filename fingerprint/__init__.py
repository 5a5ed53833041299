"""Document fingerprinting: the algorithms of four papers, and the engine that ranks the pairs of a cohort.

Import the functions and types of the papers from here: `from fingerprint import robust_winnow`. An
application uses `fingerprint.engine`. This package does not depend on a web framework, a queue or a database.

A name is imported when it is first used, so `import fingerprint` loads neither numba nor NumPy. One function
is not here: import `simhash` from `fingerprint.sketches.simhash`, the package of its paper.
"""

from fingerprint._lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)

"""The engine: token streams in, fingerprints, pairs and passages out. Knows no framework.

Public names come from here, `from fingerprint import robust_winnow`, and are loaded when they are asked
for: importing the package alone loads neither numba nor NumPy. The functions `shingles`, `features` and
`simhash` share their modules' names and are imported from those.
"""

from __future__ import annotations

from importlib import import_module

PUBLIC = {
    "hashing": "kgram_hashes",
    "winnowing": "winnow robust_winnow modulo safe_modulo best_safe_p",
    "index": "InvertedIndex",
    "shingling.shingles": "shingles resemblance containment min_sketch mod_sketch adaptive_sketch"
    " coarsen super_shingles"
    " permute min_resemblance mod_resemblance mod_containment adaptive_resemblance"
    " adaptive_containment AdaptiveSketch",
    "minwise.features": "features min_wise min_wise_resemblance shared_features super_features"
    " acceptance choose Filter",
    "minwise.binned": "binned_min_wise",
    "packing": "pack unpack",
    "simhash.documents": "EXAMPLE_3_1 Blocks Design HammingIndex Matches simhashes batch_query"
    " tables_needed design"
    " compress decompress",
    "shingling.clusters": "Clustering Duplicates Sketches UnionFind cluster cluster_by_super_shingles"
    " components"
    " join_similar pair_runs value_runs",
    "shingling.sweeps": "Sweeps NearCopy Drift",
    "ranking.duplicates": "Group Sameness groups",
    "params": "Params Profile ENGINE_VERSION",
    "tokens": "Token TokenStream",
}
_HOMES = {name: module for module, names in PUBLIC.items() for name in names.split()}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)

"""Document fingerprinting: the algorithms of four papers, and the engine that ranks the pairs of a cohort.

Import the functions and types of the papers from here: `from fingerprint import robust_winnow`. An
application uses `fingerprint.engine`. This package does not depend on a web framework, a queue or a database.

A name is imported when it is first used, so `import fingerprint` loads neither numba nor NumPy. One function
is not here: import `simhash` from `fingerprint.simhash`, the package of its paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint._lazy import lazy_names

if TYPE_CHECKING:
    from fingerprint.fingerprints import pack as pack, unpack as unpack
    from fingerprint.hashing import kgram_hashes as kgram_hashes
    from fingerprint.index import InvertedIndex as InvertedIndex
    from fingerprint.minwise.binned import binned_min_wise as binned_min_wise
    from fingerprint.minwise.features import (
        Filter as Filter,
        acceptance as acceptance,
        choose as choose,
        features as features,
        min_wise as min_wise,
        min_wise_resemblance as min_wise_resemblance,
        shared_features as shared_features,
        super_features as super_features,
    )
    from fingerprint.params import ENGINE_VERSION as ENGINE_VERSION, Params as Params, Profile as Profile
    from fingerprint.permutation import permute as permute
    from fingerprint.ranking.duplicates import (
        DuplicateGroup as DuplicateGroup,
        Sameness as Sameness,
        group_duplicates as group_duplicates,
    )
    from fingerprint.shingling.clusters import (
        Clustering as Clustering,
        cluster as cluster,
        cluster_by_super_shingles as cluster_by_super_shingles,
        duplicate_labels as duplicate_labels,
        join_similar as join_similar,
        pair_runs as pair_runs,
        value_runs as value_runs,
    )
    from fingerprint.shingling.external_sort import Records as Records
    from fingerprint.shingling.shards import (
        SharedValues as SharedValues,
        count_shared as count_shared,
        merge_shared as merge_shared,
        value_ranges as value_ranges,
    )
    from fingerprint.shingling.shingles import (
        AdaptiveSketch as AdaptiveSketch,
        adaptive_containment as adaptive_containment,
        adaptive_resemblance as adaptive_resemblance,
        adaptive_sketch as adaptive_sketch,
        coarsen as coarsen,
        containment as containment,
        min_resemblance as min_resemblance,
        min_sketch as min_sketch,
        mod_containment as mod_containment,
        mod_resemblance as mod_resemblance,
        mod_sketch as mod_sketch,
        resemblance as resemblance,
        shingles as shingles,
        super_shingles as super_shingles,
    )
    from fingerprint.shingling.sketches import Duplicates as Duplicates, Sketches as Sketches
    from fingerprint.shingling.sweeps import Drift as Drift, NearCopy as NearCopy, Sweeps as Sweeps
    from fingerprint.simhash.blocks import Blocks as Blocks, compress as compress, decompress as decompress
    from fingerprint.simhash.designs import (
        EXAMPLE_3_1 as EXAMPLE_3_1,
        Design as Design,
        design as design,
        tables_needed as tables_needed,
    )
    from fingerprint.simhash.documents import simhashes as simhashes
    from fingerprint.simhash.index import (
        HammingIndex as HammingIndex,
        Matches as Matches,
        batch_query as batch_query,
    )
    from fingerprint.tokens import Token as Token, TokenStream as TokenStream
    from fingerprint.unionfind import UnionFind as UnionFind, components as components
    from fingerprint.winnowing import (
        best_safe_p as best_safe_p,
        modulo as modulo,
        robust_winnow as robust_winnow,
        safe_modulo as safe_modulo,
        winnow as winnow,
    )
else:
    SOURCES = {
        "fingerprints": "pack unpack",
        "hashing": "kgram_hashes",
        "index": "InvertedIndex",
        "minwise.binned": "binned_min_wise",
        "minwise.features": "Filter acceptance choose features min_wise min_wise_resemblance shared_features"
        " super_features",
        "params": "ENGINE_VERSION Params Profile",
        "permutation": "permute",
        "ranking.duplicates": "DuplicateGroup Sameness group_duplicates",
        "shingling.clusters": "Clustering cluster cluster_by_super_shingles duplicate_labels join_similar"
        " pair_runs value_runs",
        "shingling.external_sort": "Records",
        "shingling.shards": "SharedValues count_shared merge_shared value_ranges",
        "shingling.shingles": "AdaptiveSketch adaptive_containment adaptive_resemblance adaptive_sketch"
        " coarsen containment min_resemblance min_sketch mod_containment mod_resemblance mod_sketch"
        " resemblance shingles super_shingles",
        "shingling.sketches": "Duplicates Sketches",
        "shingling.sweeps": "Drift NearCopy Sweeps",
        "simhash.blocks": "Blocks compress decompress",
        "simhash.designs": "EXAMPLE_3_1 Design design tables_needed",
        "simhash.documents": "simhashes",
        "simhash.index": "HammingIndex Matches batch_query",
        "tokens": "Token TokenStream",
        "unionfind": "UnionFind components",
        "winnowing": "best_safe_p modulo robust_winnow safe_modulo winnow",
    }
    __getattr__, __dir__, __all__ = lazy_names(__name__, SOURCES)

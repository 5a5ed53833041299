from fingerprint.hashing import kgram_hashes as kgram_hashes, permute as permute
from fingerprint.ranking.candidates import InvertedIndex as InvertedIndex
from fingerprint.ranking.groups import (
    DuplicateGroup as DuplicateGroup,
    Sameness as Sameness,
    group_duplicates as group_duplicates,
)
from fingerprint.sketches.clustering import (
    Clustering as Clustering,
    Records as Records,
    SharedValues as SharedValues,
    UnionFind as UnionFind,
    cluster as cluster,
    cluster_by_super_shingles as cluster_by_super_shingles,
    components as components,
    count_shared as count_shared,
    duplicate_labels as duplicate_labels,
    join_similar as join_similar,
    merge_shared as merge_shared,
    pair_runs as pair_runs,
    value_ranges as value_ranges,
    value_runs as value_runs,
)
from fingerprint.sketches.hamming_index import (
    Blocks as Blocks,
    HammingIndex as HammingIndex,
    Matches as Matches,
    batch_query as batch_query,
    compress as compress,
    decompress as decompress,
)
from fingerprint.sketches.minwise import (
    Filter as Filter,
    acceptance as acceptance,
    binned_min_wise as binned_min_wise,
    choose as choose,
    features as features,
    min_wise as min_wise,
    min_wise_resemblance as min_wise_resemblance,
    shared_features as shared_features,
    super_features as super_features,
)
from fingerprint.sketches.shingling import (
    AdaptiveSketch as AdaptiveSketch,
    Duplicates as Duplicates,
    Sketches as Sketches,
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
from fingerprint.sketches.simhash import (
    EXAMPLE_3_1 as EXAMPLE_3_1,
    Design as Design,
    design as design,
    simhashes as simhashes,
    tables_needed as tables_needed,
)
from fingerprint.tokens import Token as Token, TokenStream as TokenStream
from fingerprint.winnowing import (
    ENGINE_VERSION as ENGINE_VERSION,
    Params as Params,
    Profile as Profile,
    best_safe_p as best_safe_p,
    modulo as modulo,
    pack as pack,
    robust_winnow as robust_winnow,
    safe_modulo as safe_modulo,
    unpack as unpack,
    winnow as winnow,
)

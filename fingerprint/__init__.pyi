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

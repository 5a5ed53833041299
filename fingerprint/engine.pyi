from fingerprint.distinct import distinct_values as distinct_values
from fingerprint.kernels.library import (
    compiled_library as compiled_library,
    ensure_compiled as ensure_compiled,
    open_kernels as open_kernels,
)
from fingerprint.languages import (
    Decoded as Decoded,
    FrontEnd as FrontEnd,
    LexerFailed as LexerFailed,
    Span as Span,
    choices as choices,
    coarse_family as coarse_family,
    decode as decode,
    expect as expect,
    front_end as front_end,
    leaves_doubt as leaves_doubt,
    possible_languages as possible_languages,
    storable as storable,
)
from fingerprint.languages.base import Coarse as Coarse, SpanColumns as SpanColumns
from fingerprint.languages.decoding import import_encodings as import_encodings
from fingerprint.languages.lexical_terms import LexicalTerms as LexicalTerms
from fingerprint.languages.pasted_code import shown_text as shown_text
from fingerprint.languages.preloading import preload as preload
from fingerprint.languages.prose import WordKinds as WordKinds
from fingerprint.languages.task_statement import StringWords as StringWords, TaskStatement as TaskStatement
from fingerprint.languages.term_places import (
    common_terms as common_terms,
    prose_words as prose_words,
    term_places as term_places,
    without_terms as without_terms,
)
from fingerprint.languages.token_rows import token_lines as token_lines
from fingerprint.lextables.deadline import TooSlow as TooSlow, time_limit as time_limit
from fingerprint.ranking.best_pairs import worth_scoring as worth_scoring
from fingerprint.ranking.candidates import CandidatePairs as CandidatePairs
from fingerprint.ranking.cohort import Cohort as Cohort, whole_lines as whole_lines
from fingerprint.ranking.common_code import (
    CommonRun as CommonRun,
    SharedLines as SharedLines,
    common_code as common_code,
)
from fingerprint.ranking.groups import (
    Groups as Groups,
    count_pairs as count_pairs,
    group_duplicates as group_duplicates,
)
from fingerprint.ranking.parallel import never_end as never_end
from fingerprint.ranking.passages import (
    LEAST_MOVED_TOKENS as LEAST_MOVED_TOKENS,
    KnownPassages as KnownPassages,
    PairPassages as PairPassages,
    Passage as Passage,
    as_passages as as_passages,
    exchange_sides as exchange_sides,
    group_passages as group_passages,
    moved_blocks as moved_blocks,
    passage_weight as passage_weight,
)
from fingerprint.ranking.rank import (
    CohortFile as CohortFile,
    Exclusions as Exclusions,
    OldPairs as OldPairs,
    Ranking as Ranking,
    RankingInput as RankingInput,
    ScoringJob as ScoringJob,
    pair_passages as pair_passages,
    rank as rank,
    rank_for_report as rank_for_report,
    scored_cohorts as scored_cohorts,
    scoring_jobs as scoring_jobs,
)
from fingerprint.ranking.score_constants import SCORE_VERSION as SCORE_VERSION
from fingerprint.ranking.scoring import ScorePairs as ScorePairs, Scores as Scores, score as score
from fingerprint.ranking.terms import LexicalTable as LexicalTable
from fingerprint.ranking.threshold import Rarity as Rarity, UnrelatedPairs as UnrelatedPairs
from fingerprint.ranking.translations import CoarseFile as CoarseFile
from fingerprint.reading import (
    FILE_SECONDS as FILE_SECONDS,
    NO_LINES as NO_LINES,
    Reading as Reading,
    Spelling as Spelling,
    Unreadable as Unreadable,
    identify as identify,
    profile_of as profile_of,
    read as read,
    read_together as read_together,
)
from fingerprint.sketches.clustering import components as components
from fingerprint.tokens import TokenStream as TokenStream
from fingerprint.winnowing import (
    ENGINE_VERSION as ENGINE_VERSION,
    Fingerprints as Fingerprints,
    Params as Params,
    Profile as Profile,
    fingerprint as fingerprint,
)

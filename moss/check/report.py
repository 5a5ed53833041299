"""The result of `moss check`: ranked pairs of submissions, and what was not compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint import engine
from submissions.intake.warnings import ReadFile
from submissions.matches.groups import group_numbers
from submissions.matches.ranked_pairs import MODEL_SOLUTION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fingerprint.engine import LexicalTerms, Ranking, RankingInput, Reading
    from moss.check.inputs import AllInputs, SkippedInput
    from submissions.matches.ranked_pairs import RankedPair

MIN_SUBMISSIONS = 2


class LocalFile(NamedTuple):
    """One file of a submission, with its bytes for display; `submission` indexes the report's submissions."""

    submission: int
    path: str
    data: bytes
    reading: Reading


@dataclass(frozen=True, slots=True)
class LocalReport:
    """A finished ranking of what was `given`.

    `left` and `right` of a pair index `submissions`, which are in the order of their content; the files of
    its passages index `files`. `name_ranks` has the place of each submission in the order of the names, from
    0; the last ones by name are earlier work, then model solutions. `skipped` is what was not compared;
    `handed_out` are terms of boilerplate. With `counts_alike_as_one` the common limit counts programs, see
    `common_code`.
    """

    all_inputs: AllInputs
    submissions: list[str]
    name_ranks: list[int]
    files: list[LocalFile]
    ranking: Ranking
    skipped: list[SkippedInput]
    inputs: RankingInput
    handed_out: Sequence[LexicalTerms] = ()
    counts_alike_as_one: bool = True

    def flag(self, left: int, right: int) -> str:
        """Return the flag of a pair, by index; see `PairRow`."""
        if self.all_inputs.first_solution <= max(self.name_ranks[left], self.name_ranks[right]):
            return MODEL_SOLUTION
        term = self.all_inputs.same_student.get(frozenset((self.submissions[left], self.submissions[right])))
        return "" if term is None else f"the same student, {term}"

    def pairs(self) -> Iterator[RankedPair]:
        """Yield all pairs with their passages, best first; each pair is aligned when it is yielded.

        On the left is the submission whose name sorts first.
        """
        from submissions.matches.ranked_pairs import ranked_pairs  # noqa: PLC0415 - loads the engine on demand

        for pair in ranked_pairs(self.inputs, self.ranking):
            ordered = self.name_ranks[pair.left] < self.name_ranks[pair.right]
            yield pair if ordered else pair.exchanged

    @property
    def sorted_names(self) -> list[str]:
        """The names of the submissions in order, those of earlier work and of model solutions last."""
        return [name for _, name in sorted(zip(self.name_ranks, self.submissions, strict=True))]

    @property
    def class_size(self) -> int:
        """Number of submissions that are neither earlier work nor model solutions."""
        return self.all_inputs.first_earlier

    @property
    def pairs_of_mates(self) -> int:
        """Number of pairs of the class that are not compared, because they have one student or team."""
        of_class = self.all_inputs.mates[: self.class_size]
        return engine.count_pairs(engine.Groups.from_lists(group_numbers(of_class)))

    @property
    def read_files(self) -> list[ReadFile]:
        """The files that are compared, with what was read of them; handed-out code alone counts as none."""
        cohort = self.inputs.cohort
        kept = np.diff(cohort.sums.kept[cohort.submission_starts])
        return [
            ReadFile(
                self.submissions[file.submission],
                file.path,
                file.reading.language,
                len(file.reading.tokens) if kept[file.submission] else 0,
                file.reading.share,
                min(file.reading.unclosed, default=None),
                file.reading.disguised,
            )
            for file in self.files
        ]

    @property
    def shortfall(self) -> str:
        """The reason why nothing was compared: fewer than two readable submissions; empty otherwise."""
        readable = len({file.submission for file in self.files})
        of_class = any(self.name_ranks[file.submission] < self.class_size for file in self.files)
        if readable >= MIN_SUBMISSIONS and of_class:
            return ""
        if readable >= MIN_SUBMISSIONS:
            return "Found no submission of the class that can be read, and other work is not compared alone."
        readable_count = "1 submission" if readable else "no submission"
        return (
            f"Found {readable_count} that can be read; at least two are needed. "
            "Give a folder or an archive with a file or folder for each student."
        )

"""The two sides of a pair: the files that a page or a document shows of each submission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from submissions.comparison.pair_rows import whole_percent
from submissions.pages.source_view.pair_file import PartStart
from submissions.pages.source_view.parts import show_side

if TYPE_CHECKING:
    from submissions.models import Pair, Submission
    from submissions.pages.source_view.file_view import FileView
    from submissions.pages.source_view.pair_file import Selection


@dataclass(frozen=True, slots=True)
class PairSide:
    """One submission of a pair; `letter` is L or R.

    `share` is its share in [0, 1], and `with_common` the share where common code counts too.
    `files` are those of which the page has a part, `others` those that it only lists, and `more` is the
    number of a file from which on it does not list them, or 0.
    """

    letter: str
    label: str
    submission: Submission
    share: float
    with_common: float
    files: list[FileView]
    others: list[FileView]
    more: int = 0

    @property
    def has_common_code(self) -> bool:
        """True if the share is another figure, in percent, where common code counts too."""
        return whole_percent(self.with_common) != whole_percent(self.share)

    @property
    def matched(self) -> int:
        """Number of the files that have a passage."""
        return sum(bool(view.passages) for view in self.files)

    @property
    def unmatched(self) -> int:
        """Number of the files that have none."""
        return len(self.files) - self.matched

    @property
    def more_start(self) -> PartStart:
        return PartStart(self.more, 0)


def shown_side(pair: Pair, letter: str, views: dict[int, FileView], selection: Selection) -> PairSide:
    """Render what the page shows of one side."""
    files = [view for view in views.values() if view.side == letter]
    return _pair_side(pair, letter, *show_side(files, letter, selection))


def printed_side(pair: Pair, letter: str, views: dict[int, FileView]) -> PairSide:
    """Return one side of a document: the files that were opened for it, and the others."""
    files = [view for view in views.values() if view.side == letter]
    read, others = ([view for view in files if view.is_open == is_open] for is_open in (True, False))
    return _pair_side(pair, letter, read, others, 0)


def _pair_side(pair: Pair, letter: str, files: list[FileView], others: list[FileView], more: int) -> PairSide:
    shares = pair.left_share, pair.left_with_common
    if letter == "L":
        return PairSide("L", _("Left"), pair.left, *shares, files, others, more)
    shares = pair.right_share, pair.right_with_common
    return PairSide("R", _("Right"), pair.right, *shares, files, others, more)

"""Work of other courses that is withheld from a reader of an assignment, who may not read these courses."""

from __future__ import annotations

from typing import NamedTuple


class Withheld(NamedTuple):
    """Old work that is kept from a reader, by primary key; see `submissions.queries.withheld`.

    `batches`: the compared assignments, as batches of copies; `copies`: the copies in them; `opened`: pairs
    of a submission of the class and a copy that the owner of the old course has agreed to.
    """

    batches: frozenset[int] = frozenset()
    copies: frozenset[int] = frozenset()
    opened: frozenset[tuple[int, int]] = frozenset()

    @property
    def hidden(self) -> frozenset[int]:
        """The copies that are in no opened pair: nothing of these is shown."""
        return self.copies - {copy for _, copy in self.opened}


NOTHING_WITHHELD = Withheld()

"""What submissions are called on a page: by their own names, or by made-up ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, product
from string import ascii_uppercase
from typing import TYPE_CHECKING

from submissions.pseudonyms.aliases import aliases
from submissions.pseudonyms.redaction import SOMEBODY, Finder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from django.http import HttpRequest

    from submissions.models import Assignment

# In a reader's session: whether names are made up.
ANONYMOUS = "anonymous"


@dataclass(frozen=True)
class Names:
    """Names as a reader may see them; without `made_up` and `others`, their own.

    `others` is what to call a name that is not among them; without it, by itself. Words that are also in
    a name of `kept` are only covered beside other words of a name that is made up.
    """

    made_up: Mapping[str, str] = field(default_factory=dict)
    others: str = ""
    kept: tuple[str, ...] = ()

    def of(self, name: str) -> str:
        """Give what to call the submission `name`."""
        return self.made_up.get(name, self.others or name)

    def text(self, text: str) -> str:
        """Give a path, the name of an upload or a message with every name in it replaced."""
        return _replaced(text, self._finder.in_label(text)) if self.hidden else text

    def source(self, text: str) -> str:
        """Give a piece of a source as `spans` covers it."""
        return _replaced(text, self.spans(text))

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """Give where a source names a student, [start, end), with what to show instead; in text order."""
        return self._finder.in_source(text) if self.hidden else []

    def entry(self, path: str) -> str:
        """Give the path of what was not taken: its folder may name somebody who handed in nothing else.

        Where it names nobody that is known, no more of it is told than the file in its folder.
        """
        covered = self.text(path)
        if not self.hidden or covered != path:
            return covered
        *folders, file = path.rstrip("/").split("/")
        stem, dot, ending = file.rpartition(".")
        return f"…/{file}" if folders and not path.endswith("/") else f"…{dot}{ending}" if stem else "…"

    @property
    def hidden(self) -> bool:
        """Whether names are made up, if there is anybody yet or not."""
        return bool(self.made_up or self.others)

    @cached_property
    def _finder(self) -> Finder:
        return Finder(self.made_up, self.kept)


def names_for(request: HttpRequest, assignment: Assignment) -> Names:
    """Give the names under which whoever asks reads an assignment."""
    return anonymous(assignment) if request.session.get(ANONYMOUS) else Names()


def anonymous(assignment: Assignment) -> Names:
    """Give a made-up name for everybody in an assignment."""
    return Names(aliases(assignment), others=SOMEBODY)


def redacting(hidden: Iterable[str], kept: Iterable[str] = ()) -> Names:
    """Hide some names, as somebody's who shall read the others: `Student A`, or `another student`."""
    names = sorted(set(hidden))
    if len(names) == 1:
        return Names({names[0]: "another student"}, kept=tuple(kept))
    return Names(dict(zip(names, _letters(), strict=False)), kept=tuple(kept))


def _letters() -> Iterator[str]:
    """Give Student A to Student Z, then Student AA."""
    for length in count(1):
        for letters in product(ascii_uppercase, repeat=length):
            yield f"Student {''.join(letters)}"


def _replaced(text: str, spans: list[tuple[int, int, str]]) -> str:
    pieces, at = [], 0
    for start, end, instead in spans:
        pieces += [text[at:start], instead]
        at = end
    return "".join([*pieces, text[at:]])

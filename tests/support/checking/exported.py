"""What a person can export of a ranked class: the files that were handed in, tables, pages and documents.

Only these are read: no row of the database, no token and no code of the product. What `sentences` states of
them is counted again by sets, sorted lists and `difflib`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from io import BytesIO
from typing import Any, NamedTuple

from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from submissions.models import Assignment
from tests.support.html import Page, get_page, page_of, text_of

# Pairs, cases and submissions whose pages are fetched.
PAIRS, CASES, STUDENTS = 5, 2, 3
K = 9
# A file with more words has enough tokens that the lexers of the product count.
LEAST_WORDS = 120
# Fewer lines are in many programs by chance, whatever their names and keywords.
LEAST_LINES = 6
# Files whose words are kept, which many sentences are about.
LARGE_CLASS = 5000
COMMENTS = {
    **dict.fromkeys(("py", "pl", "r", "Rmd"), r"#[^\n]*"),
    "sql": r"--[^\n]*",
    "hs": r"--[^\n]*|\{-.*?-\}",
    "m": r"(?m:^\s*%\{\s*$.*?^\s*%\}\s*$)|[%#][^\n]*",
    "html": r"<!--.*?-->",
    "css": r"/\*.*?\*/",
} | dict.fromkeys(("java", "c", "h", "cpp", "cs", "go", "js", "jsx", "php"), r"//[^\n]*|/\*.*?\*/")
# What is no comment, such as an address in a string. An apostrophe opens no string in prose, and is a letter of
# names in Haskell; in MATLAB it transposes what ends before it.
STRING, CHARACTERS = r"\"(?:\\.|[^\"\\\n])*\"", r"'(?:\\.|[^'\\\n])*'"
STRINGS = dict.fromkeys(COMMENTS, rf"{STRING}|{CHARACTERS}") | dict.fromkeys(("html", "css", "Rmd"), r"(?!)")
STRINGS |= {"hs": STRING, "m": r"(?<=[\w)\]}.])'|\"[^\"\n]*\"|'[^'\n]*'"}
TOKEN = rf"{STRING}|{CHARACTERS}|\$?[^\W\d]\w*|\d[\w.]*|[^\w\s]"
TOKENS = {"hs": rf"[^\W\d][\w']*|{TOKEN}", "m": rf"{STRINGS['m']}|{TOKEN}"}
# Signs that the lexers of the product do not compare in some language.
UNCOMPARED = frozenset("(){},;:.")
TAG = re.compile(r"<[^<>]*>")
NAME, LITERAL = re.compile(r"\$?[^\W\d]"), re.compile(r"[\d\"']")


def words(text: str, path: str) -> list[str]:
    """Return the words and signs of a text without its comments."""
    return signs_and_words(_without_comments(text, path)[0], path)


def signs_and_words(text: str, path: str) -> list[str]:
    """Return the words and signs of a text, those of its comments included."""
    return re.findall(TOKENS.get(path.rpartition(".")[2], TOKEN), text)


def comments(text: str, path: str) -> list[str]:
    """Return the comments of a text."""
    return _without_comments(text, path)[1]


def _without_comments(text: str, path: str) -> tuple[str, list[str]]:
    ending, found = path.rpartition(".")[2], list[str]()
    if ending not in COMMENTS:
        return text, found

    def kept(match: re.Match[str]) -> str:
        if match["string"] is None:
            found.append(match[0])
        return match["string"] or " "

    return re.sub(rf"(?P<string>{STRINGS[ending]})|{COMMENTS[ending]}", kept, text, flags=re.DOTALL), found


def folded(tokens: list[str]) -> list[str]:
    """Return the tokens with all names, and all literals, alike."""
    return ["n" if NAME.match(one) else "1" if LITERAL.match(one) else one for one in tokens]


def folded_line(line: str, path: str) -> str:
    """Return the words of a line with all names alike, and numbers and strings, which no passage joins."""
    tokens = words(line, path)
    return " ".join(one[0] if one[0] in "\"'" else kind for one, kind in zip(tokens, folded(tokens), strict=True))


def grams(tokens: list[str]) -> list[tuple[str, ...]]:
    return [tuple(tokens[at : at + K]) for at in range(len(tokens) - K + 1)]


class Tables(NamedTuple):
    """The rows of both tables of an assignment."""

    pairs: list[dict[str, Any]]
    submissions: list[dict[str, Any]]


class Exported:
    """The exports of an assignment; `sources` are the files of each submission, by its name and by path.

    `pages` has the pages by kind and by the submissions that they are about. `earlier` are the submissions
    that are not of the class, `own` those that are, `kept` the files that are no program, and `raw` the bytes
    of files whose text is taken out, by submission and path.
    """

    def __init__(
        self,
        client: Client,
        assignment: Assignment,
        sources: Mapping[str, Mapping[str, str]],
        raw: Mapping[str, Mapping[str, bytes]] | None = None,
        kept: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.sources, self.raw, self.kept = sources, raw or {}, kept or {}
        self.earlier = {name for name in sources if name.endswith(")")}
        self.own = [name for name in sources if name not in self.earlier]
        self.size = len(self.own)
        # Texts of printed documents, by the same keys as `pages`.
        self.prints: dict[tuple[str, ...], str] = {}
        pk = assignment.pk
        self.pairs = self._table(client, pk, "pairs")
        self.submissions = self._table(client, pk, "submissions")
        # The tables of the assignments that were chosen to compare with.
        others = assignment.compared_with.order_by("pk").values_list("pk", flat=True)
        self.compared = [
            Tables(*(self._table(client, other, name) for name in ("pairs", "submissions"))) for other in others
        ]
        self.pages: dict[tuple[str, ...], Page] = {
            ("cases",): get_page(client, reverse("assignment", args=[pk])),
            ("list",): get_page(client, reverse("pairs", args=[pk])),
            ("ignored",): get_page(client, reverse("ignored", args=[pk])),
            ("uploads",): get_page(client, reverse("uploads", args=[pk])),
        }
        for least in ("35", "97"):
            self.pages["high", least] = get_page(client, reverse("assignment", args=[pk]), threshold=least)
        ids = dict(assignment.reports.latest("pk").submissions.values_list("name", "pk"))
        for row in self._chosen():
            both = row["left"], row["right"]
            args = [pk, *(ids[name] for name in both)]
            self.pages["pair", *both] = get_page(client, reverse("pair", args=args))
            self.pages["lines", *both] = get_page(client, reverse("lines", args=args))
            query: dict[str, str | int] = {"format": "html", "names": "open"}
            self.pages["document", *both] = get_page(client, reverse("export_pair", args=args), **query)
        for members in list(self.cases.values())[:CASES]:
            self.pages["case", *members] = page_of(client.get(reverse("case", args=[pk, ids[members[0]]]), follow=True))
            address = reverse("export_case", args=[pk, ids[members[0]]])
            answer = client.get(address, {"format": "html", "names": "open"}, follow=True)
            self.pages["case-document", *members] = page_of(answer)
        for name in sorted(self.own)[:STUDENTS]:
            self.pages["submission", name] = get_page(client, reverse("submission", args=[pk, ids[name]]))

    def _table(self, client: Client, pk: int, name: str) -> list[dict[str, Any]]:
        answer: Any = client.get(reverse("table", args=[pk, name, "json"]))
        document = json.loads(answer.getvalue())
        self.parameters: dict[str, Any] = document["parameters"]
        rows: list[dict[str, Any]] = document[name]
        return rows

    def print_pair(self, client: Client, assignment: Assignment, left: str, right: str) -> None:
        """Fetch the document of a pair as PDF."""
        ids = dict(assignment.reports.latest("pk").submissions.values_list("name", "pk"))
        address = reverse("export_pair", args=[assignment.pk, ids[left], ids[right]])
        answer: Any = client.get(address, {"format": "pdf", "names": "open"})
        pages = PdfReader(BytesIO(answer.getvalue())).pages
        self.prints["document", left, right] = " ".join(" ".join(page.extract_text() for page in pages).split())

    @property
    def common_limit(self) -> int:
        return int(self.parameters["common_limit"])

    def is_own(self, row: Mapping[str, Any]) -> bool:
        """Return whether both sides of a pair are of the class."""
        return not self.earlier & {row["left"], row["right"]}

    def can_link(self, row: Mapping[str, Any]) -> bool:
        """Return whether a pair can make a case, which one of a student alone cannot."""
        return not any("the same student" in flag for flag in row["flags"])

    def folded_lines(self, name: str) -> set[str]:
        """Return the lines of a submission with all names, and all literals, alike."""
        lines = [(line, path) for path, text in self.sources[name].items() for line in text.splitlines()]
        return {" ".join(folded(words(line, path))) for line, path in lines if line.strip()}

    def compared_files(self, name: str) -> list[tuple[str, str]]:
        """Return the files of a submission that are compared, by path."""
        kept = self.kept.get(name, ())
        return sorted((path, text) for path, text in self.sources[name].items() if path not in kept)

    def data(self, name: str, path: str) -> bytes:
        """Return the bytes of a file as it was handed in."""
        return self.raw.get(name, {}).get(path) or self.sources[name][path].encode()

    def _chosen(self) -> list[dict[str, Any]]:
        """Return the first pairs, the last, and those with an identical file."""
        with_files = [row for row in self.pairs if any("file" in flag for flag in row["flags"])]
        return list({id(row): row for row in (*self.pairs[:PAIRS], *self.pairs[-1:], *with_files[:2])}.values())

    @cached_property
    def cases(self) -> dict[int, list[str]]:
        """The members of each case, by its number in the table of submissions."""
        members: dict[int, list[str]] = {}
        for row in self.submissions:
            if row["case"] is not None:
                members.setdefault(row["case"], []).append(row["submission"])
        return members

    @cached_property
    def row_by_pair(self) -> dict[frozenset[str], dict[str, Any]]:
        return {frozenset((row["left"], row["right"])): row for row in self.pairs}

    def row(self, key: tuple[str, ...]) -> dict[str, Any]:
        """Return the row of the pair that a page is about."""
        return self.row_by_pair[frozenset(key[1:])]

    def side(self, key: tuple[str, ...], name: str, column: str) -> float:
        """Return a figure of one side of a pair, such as its `share`."""
        row = self.row(key)
        figure: float = row[f"{'left' if row['left'] == name else 'right'}_{column}"]
        return figure

    def same_files(self, left: str, right: str) -> list[str]:
        """Return the paths of the files on the left that are on the right, too, byte by byte."""
        others = set(self.sources[right].values())
        return sorted(path for path, text in self.sources[left].items() if text in others)

    def own_files(self, left: str, right: str) -> list[str]:
        """Return the paths of `same_files` of some length that are in no third submission, as the same text.

        A file of which most is common code is left out.
        """
        texts = self.sources[left]
        owners = Counter(text for files in self.sources.values() for text in set(files.values()))
        same = [path for path in self.same_files(left, right) if path not in self.kept.get(left, ())]
        long = [path for path in same if owners[texts[path]] == 2 and len(words(texts[path], path)) > LEAST_WORDS]
        return [path for path in long if not self.is_common(texts[path], path)]

    def is_common(self, text: str, path: str) -> bool:
        """Return whether most of a file's runs of K words are in more submissions than the common limit."""
        runs = grams(folded(words(text, path)))
        having: Counter[tuple[str, ...]] = Counter()
        for files in self.sources.values():
            having.update(set().union(*(_runs(other, name) for name, other in files.items())))
        return 2 * sum(having[run] > self.common_limit for run in runs) > len(runs)

    def has_chunks_in_text(self, name: str) -> bool:
        """Return whether a submission has a document with code and, outside of that and of its head, text."""
        documents = (text for path, text in self.sources[name].items() if re.search(r"\.(Rmd|qmd)$", path))
        return any(re.search(r"\w", re.sub(r"(?ms)\A---$.*?^---$|^```.*?^```$", "", text)) for text in documents)

    def tokens(self, name: str, *, tags: bool = True) -> list[str]:
        """Return the words of a submission; without `tags`, of pages what people wrote."""
        files = sorted(self.sources[name].items())
        texts = [(path, text if tags or not path.endswith(".html") else TAG.sub(" ", text)) for path, text in files]
        return [word for path, text in texts for word in words(text, path)]

    def share_bounds(self, name: str, other: str) -> tuple[float, float]:
        """Return a lower and an upper bound of how much of one submission is in another.

        Runs of equal words in the order of both files are shared, but for lines at their ends, such as the head of
        a function; what is in no run of K words that are alike but for names, values and signs is not.
        """
        return _bounds(tuple(self.tokens(name)), tuple(self.tokens(other)))

    def passages(self, key: tuple[str, ...]) -> Iterator[Passage]:
        """Yield the passages of a document, in its order."""
        for section in self.pages[key].all("section.passage"):
            heading = section.css_first("h3")
            heads = enumerate(text_of(node) for node in section.css("thead th .meta"))
            paths = [self.in_text(key[1 + at % 2], place) for at, place in heads]
            rows = [[text_of(cell) for cell in row.css("td")] for row in section.css("tbody tr")]
            yield Passage(text_of(heading) if heading else "", paths, [row for row in rows if len(row) == 4])

    def in_text(self, name: str, place: str) -> str:
        """Return a place in cells of a notebook as one in the lines of its text, and any other as it is."""
        path, *ends = re.split(", (?=cell)| … ", place)
        if not ends or not path.endswith(".ipynb"):
            return place
        lines = self.sources[name][path].splitlines()
        heads = [at for at, line in enumerate(lines, 1) if line.startswith("───── cell")]
        cells = (map(int, re.findall(r"\d+", end)) for end in ends)
        return f"{path}, lines " + "-".join(str(heads[cell - 1] + line) for cell, line in cells)

    def having(self, passage: Passage) -> int:
        """Return how many submissions have the lines of a passage, whatever their names; 0 where that is unknown.

        The bound of a passage with other lines between is that of its rarest piece. The first and the last line may
        be a part of it alone, and have what makes it rare: who has all lines of the left side has the passage.
        """
        rows = [[folded_line(line, passage.paths[0]) for line in row[1::2]] for row in passage.rows]
        inner = rows[1:-1]
        if sum(bool(left) for left, _ in inner) < LEAST_LINES or any(left != right for left, right in inner):
            return 0
        wanted = "\n".join(["", *(left for left, _ in rows if left), ""])
        return sum(
            any(wanted in _folded_text(text, path) for path, text in self.sources[name].items()) for name in self.own
        )


@lru_cache
def _bounds(own: tuple[str, ...], others: tuple[str, ...]) -> tuple[float, float]:
    blocks = SequenceMatcher(None, own, others, autojunk=False).get_matching_blocks()
    lower = sum(max(block.size - 2 * K, 0) for block in blocks) / max(len(own), 1)
    compared, known = ([word for word in side if word not in UNCOMPARED] for side in (own, others))
    runs, covered = set(grams(folded(known))), set[int]()
    for at, run in enumerate(grams(folded(compared))):
        if run in runs:
            covered.update(range(at, at + K))
    return lower, len(covered) / max(len(compared), 1)


@lru_cache(LARGE_CLASS)
def _runs(text: str, path: str) -> frozenset[tuple[str, ...]]:
    return frozenset(grams(folded(words(text, path))))


@lru_cache(LARGE_CLASS)
def _folded_text(text: str, path: str) -> str:
    lines = (folded_line(line, path) for line in text.splitlines())
    return "\n".join(["", *filter(None, lines), ""])


class Passage:
    """A passage of a document: its heading, both places, and rows of numbers and lines."""

    def __init__(self, heading: str, places: list[str], rows: list[list[str]]) -> None:
        self.heading, self.rows = heading, rows
        self.paths = [place.rpartition(", ")[0] for place in places]
        self.firsts = [int((re.findall(r"\d+", place.rpartition(", ")[2]) or ["0"])[0]) for place in places]
        self.common = "common code" in heading

    def lines(self, side: int) -> list[tuple[int, str]]:
        """Return the numbers and texts of the lines of a side; those of a notebook count in its text."""
        rows = self.printed(side)
        if self.paths[side].endswith(".ipynb"):
            return list(enumerate((text for _, text in rows), self.firsts[side]))
        return [(int(number), text) for number, text in rows]

    def printed(self, side: int) -> list[tuple[str, str]]:
        """Return what stands in the margin of each line of a side, and its text."""
        rows = [(row[2 * side], row[2 * side + 1]) for row in self.rows]
        return [(number, text) for number, text in rows if number.isdecimal() or text.startswith("───── cell ")]

    def changed(self, *, inner: bool = False, alike: bool = False) -> tuple[Counter[tuple[str, str]], bool]:
        """Return the words on the left with those in their places that differ, and whether all rows tell.

        `inner`: of the rows that are whole in the passage, all but the first and the last one. `alike`: of the rows
        that differ in names and values alone; in others, as many words may be shifted.
        """
        pairs, whole = Counter[tuple[str, str]](), True
        rows = self.rows[1:-1] if inner else self.rows
        if inner and "interrupted" in self.heading:
            rows = []
        for _, left, _, right in rows:
            own, other = words(left, self.paths[0]), words(right, self.paths[1])
            if folded(own) == folded(other) if alike else len(own) == len(other):
                pairs.update(pair for pair in zip(own, other, strict=True) if pair[0] != pair[1])
            else:
                whole = False
        return pairs, whole

"""Sentences with figures on pages and documents, each with a check that counts it in exported files.

A template without a check is in `not_counted.txt`, under the reason. One that is in neither fails the tests.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from tests.support.checking.exported import LITERAL, NAME, Exported, folded, signs_and_words, words
from tests.support.html import text_of
from tests.support.paths import ROOT
from tests.support.translations import texts_of

Key = tuple[str, ...]
Values = dict[str, str]
Check = Callable[[Exported, Key, Values], bool]

PLACEHOLDER = re.compile(r"\{\{ ?(\w+) ?\}\}|%\((\w+)\)s|\{(\w+)\}")
PLACES = [
    *(ROOT / "templates" / "submissions" / name for name in ("pair", "report", "cases", "submission", "exports")),
    *(ROOT / "submissions" / name for name in ("pairs/pair_summary.py", "matches/bands.py", "reports/identical.py")),
]
NOT_COUNTED = Path(__file__).with_name("not_counted.txt")
# The forms of what stands in placeholders: whole numbers, percentages and paths.
FIGURES = (
    "n",
    "reached",
    "low",
    "high",
    "tokens",
    "total",
    "some",
    "all",
    "looks",
    "above",
    "matched",
    "rank",
    "pairs",
    "submissions",
    "one_in",
)
PERCENTAGES = (
    "most",
    "share",
    "similarity",
    "below",
    "first",
    "last",
    "far",
    "limit",
    "percentage",
    "threshold",
    "strongest",
    "mean",
)
FORMS = dict.fromkeys(FIGURES, r"[\d,]+") | dict.fromkeys(PERCENTAGES, r"(?:[Ll]ess than 1|<1|\d+) ?%")
FORMS["number"] = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|[\d,]+)"
FORMS["span"] = r"(?:<1|\d+) ?%(?: to \d+ ?%)?"
FORMS["several"] = r"(?:[\d,]+|\S+(?:, \S+)* and \S+)"
FORMS["description"] = r"the same [^:]{1,200}?"
FORMS["files"] = r"(?:\S+\.\w+(?: \(\S+\))?(?:, | and )?)+(?:\d+ more)?"
TAGS = re.compile(r"<[^>]+>")
# Of percentages by other words than those of the lexers of the product.
NEAR = 0.06
# Of a printed document only the text is known: a shorter sentence could be a part of another.
LEAST_PRINTED = 5
# Passages of a document; their number is not told where it has so many.
MOST_PRINTED = 100
NUMBERS = {
    word: at
    for at, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1)
}


class Sentence(NamedTuple):
    """A template, the kinds of pages that have it, the elements in which it stands, and its check."""

    template: str
    kinds: tuple[str, ...]
    selector: str
    check: Check

    @property
    def pattern(self) -> re.Pattern[str]:
        """A pattern with a group for each placeholder."""
        parts, at, text = list[str](), 0, normal(self.template)
        for match in PLACEHOLDER.finditer(text):
            name = match[3]
            parts += [re.escape(text[at : match.start()]), f"(?P<{name}>{FORMS.get(name, '.{1,300}?')})"]
            at = match.end()
        return re.compile("".join([*parts, re.escape(text[at:])]) + ("$" if at == len(text) else ""))


class Statement(NamedTuple):
    """A sentence as it stands on a page, with the texts in its placeholders."""

    sentence: Sentence
    key: Key
    values: Values

    def is_true(self, exported: Exported) -> bool:
        try:
            return self.sentence.check(exported, self.key, self.values)
        except (AssertionError, KeyError):  # a line is not the source's, or it names what there is not
            return False

    def changed(self) -> Iterator[Statement]:
        """Yield the statement with another figure, or with the names exchanged."""
        for name, text in self.values.items():
            if digits := re.search(r"\d[\d,]*", text):
                for other in ("0", _other(digits[0], text)):
                    yield self._with(name, text.replace(digits[0], other, 1))
            elif text.rpartition(" ")[2] in NUMBERS:
                yield self._with(name, "1,000")

    def _with(self, name: str, text: str) -> Statement:
        return self._replace(values={**self.values, name: text})


def _other(number: str, text: str) -> str:
    value = int(number.replace(",", ""))
    return str((value + 50) % 100 if "%" in text else 1000 * value + 7)


def normal(template: str) -> str:
    """Return a template without tags, with placeholders as in `{n}`."""
    text = " ".join(TAGS.sub("", template).split())
    return PLACEHOLDER.sub(lambda match: f"{{{match[1] or match[2] or match[3]}}}", text)


def templates() -> set[str]:
    """Return the texts with a placeholder that pages of the report and documents have."""
    files = [path for place in PLACES for path in ([place] if place.is_file() else place.glob("*.html"))]
    texts = {form for path in files for text in texts_of(path) for form in (text.text, text.plural)}
    return {normal(text) for text in texts if PLACEHOLDER.search(text)}


SENTENCES: list[Sentence] = []


def states(kinds: str, selector: str, *templates: str) -> Callable[[Check], Check]:
    """Register a check of templates."""

    def register(check: Check) -> Check:
        SENTENCES.extend(Sentence(template, tuple(kinds.split()), selector, check) for template in templates)
        return check

    return register


def statements(exported: Exported) -> Iterator[Statement]:
    """Yield all registered sentences of the pages, as often as they stand there."""
    for key, page in exported.pages.items():
        for sentence in SENTENCES:
            if key[0] in sentence.kinds:
                for text in page.texts(sentence.selector):
                    plain = text.replace("\u202f", " ").replace("\xa0", " ")
                    for match in sentence.pattern.finditer(plain):
                        yield Statement(sentence, key, match.groupdict())
    for key, text in exported.prints.items():
        for sentence in SENTENCES:
            if "document" in sentence.kinds and len(sentence.template.split()) > LEAST_PRINTED:
                plain = text.replace("\u202f", " ").replace("\xa0", " ")
                yield from (Statement(sentence, key, match.groupdict()) for match in sentence.pattern.finditer(plain))


def falsehoods(exported: Exported) -> list[str]:
    """Return the sentences that are not so, and those of documents about files and passages."""
    false = [
        f"{' / '.join(one.key)}: {one.sentence.template} {one.values}"
        for one in statements(exported)
        if not one.is_true(exported)
    ]
    return false + [fault for check in DOCUMENTS for fault in check(exported)]


def number(text: str) -> int:
    digits = re.sub(r"\D", "", text)
    return int(digits) if digits else NUMBERS.get(text.casefold(), 0)


def _named(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?![\w(])"


def percent(share: float) -> int:
    return int(share * 100 + 1e-7)


def is_percent(text: str, share: float) -> bool:
    return number(text) == percent(share) if not re.match("(?i)less|<", text) else 0 < share < 0.01


# Pairs: their summary.


@states("pair document", ".summary, p.lead", "{name} and {others} handed in the same files.")
def same_bytes(exported: Exported, key: Key, values: Values) -> bool:
    left, right = (sorted(exported.sources[name].values()) for name in key[1:])
    sides = _of(exported, key, values["name"])
    return left == right and sides is not None and sides[1] == values["others"]


def _of(exported: Exported, key: Key, name: str) -> tuple[str, str] | None:
    """Return the side that a text names last, and the other side."""
    named = [one for one in key[1:] if name == one or name.endswith(f" {one}")]
    other = [one for one in key[1:] if one not in named]
    return (named[0], other[0]) if len(named) == len(other) == 1 else None


@states("pair document", ".summary, p.lead", "{share} of {name}’s code is in {others}’s")
def share_of_code(exported: Exported, key: Key, values: Values) -> bool:
    return share(exported, key, values) and not any(map(exported.has_chunks_in_text, key[1:]))


@states(
    "pair document", ".summary, p.lead",
    "{share} of {name}’s code and text is in {others}’s", "{share} of {name}’s text is in {others}’s",
)  # fmt: skip
def share(exported: Exported, key: Key, values: Values) -> bool:
    sides = _of(exported, key, values["name"])
    if not sides:
        return False
    stated = exported.side(key, sides[0], "share")
    lower, upper = exported.share_bounds(*sides)
    is_row = percent(stated) == 100 if values["share"].endswith("All") else is_percent(values["share"], stated)
    return is_row and lower - NEAR <= stated <= upper + NEAR


@states(
    "pair document", ".summary, p.lead",
    "All of {name}’s code is in {others}’s", "All of {name}’s code and text is in {others}’s",
    "All of {name}’s text is in {others}’s",
)  # fmt: skip
def whole(exported: Exported, key: Key, values: Values) -> bool:
    return share(exported, key, {**values, "share": "All"})


@states("pair document", ".summary, p.lead", "{files} is identical in both.", "{files} are identical in both.")
def identical_in_both(exported: Exported, key: Key, values: Values) -> bool:
    left, right = ([(f"/{path}", text) for path, text in exported.sources[name].items()] for name in key[1:])
    named = [one.partition(" (") for one in re.split(r", | and ", values["files"].rpartition(". ")[2])]
    both = [(f"/{here}", f"/{there.rstrip(')') or here}") for here, _, there in named if not here.endswith(" more")]
    return all(
        any(
            one == other and path.endswith(here) and twin.endswith(there) for path, one in left for twin, other in right
        )
        for here, there in both
    )


def written_counts(what: str | Counter[tuple[str, str]]) -> dict[str, int]:
    """Return the counts of names with keywords, literals and signs: of a text, or of words that differ."""
    if isinstance(what, str):
        stated = _counted(what)
        counts = {**stated, "name": stated.get("name", 0) + stated.get("keyword", 0)}
    else:
        counts = dict(Counter(_kind(left) for left in {left for left, _ in what}))
    return {kind: counts.get(kind, 0) for kind in ("name", "literal", "sign")}


def _counted(text: str) -> dict[str, int]:
    """Return the counts of a text such as `two names and 1 literal`, by the singular."""
    found = re.findall(r"(\d+|\w+) (name|literal|keyword|sign)s?\b", text)
    return {kind: number(count) for count, kind in found}


def _kind(word: str) -> str:
    return "literal" if LITERAL.match(word) else "name" if NAME.match(word) else "sign"


def written_otherwise(exported: Exported, key: Key, what: str, *, changed: bool) -> bool:
    """Compare the words of the passages of a document that differ with the stated counts."""
    stated, pairs, inner, whole = written_counts(what), *(Counter[tuple[str, str]]() for _ in "12"), True
    for passage in exported.passages(("document", *key[1:])):
        if not passage.common:
            counts, tells = passage.changed()
            pairs, whole = pairs + counts, whole and tells
            inner += passage.changed(inner=True)[0]
    # A passage may begin and end within a line.
    least, most = written_counts(inner), written_counts(pairs)
    if whole and not all(least[kind] <= number <= most[kind] for kind, number in stated.items()):
        return False
    names, *rest = stated.values()
    known = [{word for word in exported.tokens(name) if _kind(word) == "name"} for name in key[1:]]
    if names > max(map(len, known)):
        return False
    best = Counter[str]()
    for (left, _), times in pairs.items():
        if _kind(left) == "name":
            best[left] = max(best[left], times)
    of_names = sum(times for (left, _), times in pairs.items() if _kind(left) == "name")
    stay = [left for left in best if left in known[1] and left not in {right for _, right in pairs}]
    is_changed = best.total() >= 0.8 * of_names and 2 * len(stay) <= len(best)
    return names + sum(rest) > 0 and (not changed or is_changed)


@states(
    "pair document",
    ".summary, p.lead",
    "; {what} was changed",
    "; {what} were changed",
    "code, {what} was changed",
    "code, {what} were changed",
)
def were_changed(exported: Exported, key: Key, values: Values) -> bool:
    return written_otherwise(exported, key, values["what"], changed=True)


@states(
    "pair document",
    ".summary, p.lead",
    "; {what} differs",
    "; {what} differ,",
    "; {what} differ.",
    "code, {what} differs",
    "code, {what} differ",
)
def differ(exported: Exported, key: Key, values: Values) -> bool:
    return written_otherwise(exported, key, values["what"], changed=False)


@states("pair document", ".summary, p.lead", "the same words are in another order")
def in_another_order(exported: Exported, key: Key, _: Values) -> bool:
    passages = [one for one in exported.passages(("document", *key[1:])) if not one.common]
    sides = [
        Counter(word for one in passages for _, line in one.lines(side) for word in words(line, one.paths[side]))
        for side in (0, 1)
    ]
    return not alike(exported, key, {}) and sides[0] == sides[1]


@states("pair document", ".summary, p.lead", "{number} part was moved", "{number} parts were moved")
def moved(exported: Exported, key: Key, values: Values) -> bool:
    """Count the passages that are out of the order of both sides, or in a file of another's partner."""
    places = [
        (one.paths[0], one.paths[1], one.lines(0)[0][0], one.lines(1)[0][0])
        for one in exported.passages(("document", *key[1:]))
        if not one.common and one.lines(0) and one.lines(1)
    ]
    out_of_order = {
        place
        for one, other in combinations(sorted(places), 2)
        for place in (one, other)
        if (one[0] == other[0]) != (one[1] == other[1]) or (one[:2] == other[:2] and one[3] >= other[3])
    }
    stated = number(values["number"].rpartition(" ")[2])
    return 0 < stated < len(out_of_order)


@states("pair document", "p.lead", "Hardly any independent pair of this class is expected to look like this.")
def hardly_any(exported: Exported, key: Key, _: Values) -> bool:
    """Check that the pair stands out, and that most pairs are far less similar."""
    row = exported.row(key)
    usual = sorted(one["similarity"] for one in exported.pairs if exported.is_own(one))
    return row["band"] == "stands out" and exported.is_own(row) and row["similarity"] > usual[len(usual) // 2]


@states("pair document", ".summary, p.lead", "every token of that is written alike")
def alike(exported: Exported, key: Key, _: Values) -> bool:
    passages = exported.passages(("document", *key[1:]))
    return not any(one.changed()[0] for one in passages if not one.common and "interrupted" not in one.heading)


@states("pair document", ".summary, p.lead", "only comments and layout differ in it")
def only_comments(exported: Exported, key: Key, _: Values) -> bool:
    left, right = (sorted(exported.sources[name].values()) for name in key[1:])
    return alike(exported, key, {}) and left != right


@states(
    "pair document", ".summary, p.lead", "; every token of that is written alike", "; only comments and layout differ"
)
def wholly_alike(exported: Exported, key: Key, _: Values) -> bool:
    """Check that common code, which is a part of the stated share, is written alike, too."""
    return not any(_common_changes(exported, key))


@states("pair document", ".summary, p.lead", "; apart from common code,")
def apart_from_common(exported: Exported, key: Key, _: Values) -> bool:
    return any(_common_changes(exported, key))


def _common_changes(exported: Exported, key: Key) -> list[Counter[tuple[str, str]]]:
    passages = (one for one in exported.passages(("document", *key[1:])) if one.common)
    return [one.changed(alike=True)[0] for one in passages]


@states(
    "pair document", ".summary, p.lead",
    "Perhaps one in {one_in} independent pairs of this class looks like this.",
    "Fewer than one in {one_in} independent pairs of this class look like this.",
    "More than one in {one_in} independent pairs of this class look like this.",
)  # fmt: skip
def rarity(exported: Exported, key: Key, values: Values) -> bool:
    """Check that a class with so many pairs can tell it, and that at most so many are as similar."""
    numbers = [number(values[name]) for name in ("most", "one_in", "fewest") if name in values]
    students = exported.size
    possible, least = students * (students - 1) / 2, exported.row(key)["similarity"]
    as_similar = sum(row["similarity"] >= least for row in exported.pairs)
    is_possible = numbers[0] > 0 and numbers == sorted(numbers) and numbers[min(1, len(numbers) - 1)] <= 2 * possible
    return is_possible and possible / numbers[-1] <= 4 * as_similar + 4


# Documents and the panel of a pair: figures.


@states(
    "document", "table.figures td",
    "rank {{ rank }} of {{ pairs }} pairs in a class of {{ submissions }}",
)  # fmt: skip
def rank(exported: Exported, key: Key, values: Values) -> bool:
    least, rows = exported.row(key)["similarity"], [row for row in exported.pairs if exported.is_own(row)]
    above = sum(row["similarity"] > least for row in rows)
    stated = [number(values[name]) for name in ("rank", "pairs", "submissions")]
    return above < stated[0] <= above + sum(row["similarity"] == least for row in rows) and stated[1:] == [
        len(rows),
        exported.size,
    ]


@states(
    "document", "table.figures td",
    "{{ tokens }} tokens on {{ lines }} lines; the longest has {{ longest }} tokens",
)  # fmt: skip
def size(exported: Exported, key: Key, values: Values) -> bool:
    row = exported.row(key)
    printed = max(
        len({(one.paths[side], at) for one in exported.passages(key) if not one.common for at in one.lines(side)})
        for side in (0, 1)
    )
    stated = {name: number(text) for name, text in values.items()}
    is_whole = sum(1 for _ in exported.passages(key)) < MOST_PRINTED
    return all(stated[name] == row[name] for name in stated) and (row["lines"] <= printed or not is_whole)


@states("document", ".passage h3", "in at most {{ some }} of {{ all }} submissions")
def at_most(exported: Exported, key: Key, values: Values) -> bool:
    """Check the bound by the submissions that have every line of one of the passages with this heading."""
    some, everybody = number(values["some"]), number(values["all"])
    headings = [one for one in exported.passages(key) if f"in at most {some:,} of {everybody:,}" in one.heading]
    having = [exported.having(one) for one in headings[:3]]
    return everybody == exported.size and bool(having) and all(one <= some for one in having)


@states("pair", "summary h2", "{{ n }} shared passage", "{{ n }} shared passages")
def passage_count(exported: Exported, key: Key, values: Values) -> bool:
    printed = sum(1 for _ in exported.passages(("document", *key[1:])))
    return printed == min(number(values["n"]), MOST_PRINTED)


@states("pair", ".passages .manner", "{{ n }} name differs", "{{ n }} names differ")
def names_differ(exported: Exported, key: Key, values: Values) -> bool:
    """Compare the count with the words of one of the passages of the document."""
    stated = number(values["n"])
    for passage in exported.passages(("document", *key[1:])):
        (pairs, whole), inner = passage.changed(), passage.changed(inner=True)[0]
        least, most = (written_counts(one)["name"] for one in (inner, pairs))
        known = {word for _, line in passage.lines(0) for word in words(line, passage.paths[0])}
        if least <= stated <= most or (not whole and stated <= len(known)):
            return stated > 0
    return False


@states(
    "pair", ".renamings button",
    "{{ left }} → {{ right }} once", "{{ left }} → {{ right }} all {{ n }}",
    "{{ left }} → {{ right }} {{ n }} of {{ total }}",
)  # fmt: skip
def renamed(exported: Exported, key: Key, values: Values) -> bool:
    """Compare the places of a name with the words of the files, and of rows that are alike but for them."""
    left, right = values["left"].strip(), values["right"].strip()
    if "…" in left + right:
        return True
    times = number(values.get("n") or "1")
    total = number(values.get("total") or str(times))
    own, others = (exported.tokens(name) for name in key[1:])
    beside = Counter[tuple[str, str]]()
    for passage in exported.passages(("document", *key[1:])):
        beside.update(passage.changed(inner=True, alike=True)[0])
    other_names = {there for (here, there) in beside if here == left} - {right}
    is_possible = 0 < times <= total <= own.count(left) and times <= others.count(right)
    return left != right and is_possible and (times < total or not other_names)


@states("pair", ".passages .manner", "identical")
def identical_passages(exported: Exported, key: Key, values: Values) -> bool:
    """Check that one passage of the document has the same words on both sides of each row."""
    passages = exported.passages(("document", *key[1:]))
    return any(not passage.changed(inner=True)[0] for passage in passages)


@states("pair", ".side .choice .meta", "{{ matched }} of {{ total }} files share code")
def files_that_share(exported: Exported, key: Key, values: Values) -> bool:
    matched, total = (number(values[name]) for name in ("matched", "total"))
    passages = list(exported.passages(("document", *key[1:])))
    sides = [(len(exported.sources[name]), len({one.paths[at] for one in passages})) for at, name in enumerate(key[1:])]
    if len(passages) < MOST_PRINTED:
        return (total, matched) in sides
    return any(printed <= matched <= number_of_files == total for number_of_files, printed in sides)


def line_pairs(exported: Exported, key: Key) -> Iterator[tuple[str, str, bool]]:
    """Yield the lines of both files that a page has beside each other, and whether it says that names differ.

    The lines are those of the files; each line has to be there once.
    """
    page, sides = exported.pages[key], list[list[str]]()
    nodes = page.all(".lines tbody tr:not(.elsewhere)")
    for side, shown in enumerate(page.texts(".choose option[selected]")):
        sources = exported.sources[key[side + 1]]
        path = min((path for path in sources if f"/{path}".endswith(f"/{shown}")), key=len)
        lines = ["", *sources[path].splitlines(), ""]
        cells = [[text_of(cell) for cell in node.css("td")[2 * side : 2 * side + 2]] for node in nodes]
        numbers = _in_text(cells, lines[1:]) if path.endswith(".ipynb") else [int(cell[0] or 0) for cell in cells]
        assert sorted(filter(None, numbers)) == [*range(1, max(numbers) + 1)]
        assert max(numbers) >= min(len(lines) - 2, 1500)
        sides.append([lines[at].rstrip() for at in numbers])
    marked = ["renamed" in str(node.attributes["class"]).split() for node in nodes]
    return zip(*sides, marked, strict=True)


def _in_text(cells: list[list[str]], lines: list[str]) -> list[int]:
    """Return the numbers in the text of a notebook of lines with numbers in their cells; 0 where there is none."""
    waiting: dict[tuple[int, str], list[int]] = {}
    for at in range(len(lines), 0, -1):
        place = number(_in_cell(lines[:at]).rpartition(" ")[2])
        waiting.setdefault(_key_of_line(place, lines[at - 1]), []).append(at)
    is_line = [at or text.startswith("───── cell ") for at, text in cells]
    keys = [_key_of_line(int(at or 0), text) for at, text in cells]
    return [waiting[key].pop() if is_one else 0 for key, is_one in zip(keys, is_line, strict=True)]


def _key_of_line(place: int, text: str) -> tuple[int, str]:
    """Return what tells lines of a notebook apart; the line above a cell begins with its number."""
    return place, " ".join(text.split()) if place else text.partition(",")[0]


def _sorts_of_lines(exported: Exported, key: Key) -> Counter[str]:
    sorts, path = Counter[str](), exported.pages[key].texts(".choose option[selected]")[0]
    for *lines, marked in line_pairs(exported, key):
        # The lines above the cells of a notebook are not its author's.
        left, right = ("" if str(line).startswith("───── cell ") else str(line) for line in lines)
        own, other = (folded(signs_and_words(line.strip(" \t{}"), path)) for line in (left, right))
        is_alike = own == other
        assert is_alike or not marked
        sort = "identical" if left == right else "renamed" if marked else "other"
        sorts[sort] += bool(left) + bool(right) if sort == "other" else bool(left)
    return sorts


@states("lines", "p.lead", "{{ n }} line is identical,", "{{ n }} lines are identical,")
def identical_lines(exported: Exported, key: Key, values: Values) -> bool:
    return number(values["n"]) == _sorts_of_lines(exported, key)["identical"]


@states(
    "lines", "p.lead",
    "{{ n }} differs only in names, values or layout,", "{{ n }} differ only in names, values or layout,",
)  # fmt: skip
def renamed_lines(exported: Exported, key: Key, values: Values) -> bool:
    return number(values["n"]) == _sorts_of_lines(exported, key)["renamed"]


@states("lines", "p.lead", "{{ n }} other line, counting both sides.", "{{ n }} other lines, counting both sides.")
def other_lines(exported: Exported, key: Key, values: Values) -> bool:
    return number(values["n"]) == _sorts_of_lines(exported, key)["other"]


@states(
    "lines", ".elsewhere",
    "Lines {{ start }} to {{ end }} of the right side are beside line {{ beside }}.",
)  # fmt: skip
def lines_elsewhere(exported: Exported, key: Key, values: Values) -> bool:
    rows = [row for row in exported.pages[key].rows(".lines tbody tr") if len(row) == 4]
    beside = {int(row[2]): int(row[0]) for row in rows if row[0] and row[2]}
    first, last, line = (number(values[name]) for name in ("start", "end", "beside"))
    return [beside[at] for at in range(first, last + 1)] == [*range(line, line + last - first + 1)]


# The report.


@states(
    "cases list", "h2 .soft",
    "among {{ n }} submission", "among {{ n }} submissions",
)  # fmt: skip
def among(exported: Exported, _: Key, values: Values) -> bool:
    return number(values["n"]) == exported.size


@states("cases", "#cases-heading", "{{ n }} case among", "{{ n }} cases among")
def case_count(exported: Exported, _: Key, values: Values) -> bool:
    return number(values["n"]) == len(exported.cases) == len(components(exported))


def components(exported: Exported) -> list[set[str]]:
    """Return the sets of submissions that the pairs of cases connect."""
    sets: list[set[str]] = []
    for row in exported.pairs:
        if row["case"] is not None:
            both = {row["left"], row["right"]}
            touched = [one for one in sets if one & both]
            sets = [one for one in sets if not one & both] + [both.union(*touched)]
    return sets


@states(
    "list", "#report-heading", "{{ n }} pair reaches the threshold", "{{ n }} pairs reach the threshold"
)  # fmt: skip
@states("cases", "#report-heading", "{{ n }} pair to read", "{{ n }} pairs to read")
def pairs_to_read(exported: Exported, _: Key, values: Values) -> bool:
    return number(values["n"]) == sum(row["case"] is not None for row in exported.pairs)


@states("cases", ".to-read", "{{ n }} more pair", "{{ n }} more pairs")
def more_to_read(exported: Exported, key: Key, values: Values) -> bool:
    above = sum(row["case"] is not None for row in exported.pairs)
    return number(values["n"]) == above - len(exported.pages[key].all(".to-read li"))


@states("cases", ".kinds", "{{ n }} similar in parts.")
def similar_in_parts(exported: Exported, key: Key, values: Values) -> bool:
    kinds = {"identical", "layout", "names", "values"}
    above = (row for row in exported.pairs if row["case"] is not None)
    return number(values["n"]) == sum(kinds.isdisjoint(row["flags"]) for row in above)


@states(
    "cases", ".kinds",
    "{{ n }} of {{ total }} submissions is in none of them.",
    "{{ n }} of {{ total }} submissions are in none of them.",
)  # fmt: skip
def in_no_pair_to_read(exported: Exported, _: Key, values: Values) -> bool:
    members = {row[side] for row in exported.pairs if row["case"] is not None for side in ("left", "right")}
    return number(values["total"]) == exported.size == number(values["n"]) + len(members - exported.earlier)


@states("cases list", "p.lead", "Ordinary up to {below}.")
def ordinary(exported: Exported, _: Key, values: Values) -> bool:
    low = [row["similarity"] for row in exported.pairs if not _is_above(exported, row)]
    return bool(low) and is_percent(values["below"], max(low))


def _is_above(exported: Exported, row: dict[str, Any]) -> bool:
    """Return whether a pair is as similar as those that their similarity brings into a band."""
    least: float = exported.parameters["threshold"]["look"]
    return bool(row["similarity"] >= least)


@states(
    "cases list document", "p.hint, td",
    "Pairs from {{ first }} on are to be looked at; those from {{ percentage }} on stand out.",
)  # fmt: skip
def edges(exported: Exported, _: Key, values: Values) -> bool:
    bands: dict[str, list[float]] = {row["band"]: [] for row in exported.pairs} | {
        "ordinary": [0.0],
        "stands out": [1.0],
    }
    for row in exported.pairs:
        if row["band"] != "look" or _is_above(exported, row):
            bands[row["band"]].append(row["similarity"])
    first, far = number(values["first"]), number(values["percentage"])
    looks = [percent(one) for one in bands.get("look", [])]
    within = all(first <= one <= far for one in looks)
    return within and percent(max(bands["ordinary"])) <= first < far <= percent(min(bands["stands out"]))


def _compared(exported: Exported) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of compared assignments that are found suspicious or confirmed, and the others."""
    rows = [row for table in exported.compared for row in table.pairs]
    suspected = [row for row in rows if row["decision"] in {"suspicious", "confirmed"}]
    return suspected, [row for row in rows if row not in suspected]


def _are_counted(exported: Exported, values: Values) -> bool:
    sizes = [len(table.submissions) for table in exported.compared]
    pairs = sum(size * (size - 1) // 2 for size in sizes) - len(_compared(exported)[0])
    return (number(values["n"]), number(values["pairs"])) == (len(sizes), pairs)


@states("cases list document", "p.hint, td", "Left out: {suspected} found suspicious or confirmed.")
def suspected_elsewhere(exported: Exported, _: Key, values: Values) -> bool:
    return number(values["suspected"]) == len(_compared(exported)[0])


@states(
    "cases list document", "p.hint, td",
    "In {pairs} pairs of {n} compared assignment none was above {most}.",
    "In {pairs} pairs of {n} compared assignments none was above {most}.",
)  # fmt: skip
def none_above(exported: Exported, _: Key, values: Values) -> bool:
    highest = max(row["similarity"] for row in _compared(exported)[1])
    return _are_counted(exported, values) and is_percent(values["most"], highest)


@states(
    "cases list document", "p.hint, td",
    "{reached} of {pairs} pairs of {n} compared assignment reach {limit}.",
    "{reached} of {pairs} pairs of {n} compared assignments reach {limit}.",
)  # fmt: skip
def some_reach(exported: Exported, _: Key, values: Values) -> bool:
    similarities = [percent(row["similarity"]) for row in _compared(exported)[1]]
    reached = sum(one >= number(values["limit"]) for one in similarities)
    return _are_counted(exported, values) and 0 < number(values["reached"]) == reached


@states("cases list", "p.lead", "Nobody between {below} and {first}.")
def nobody(exported: Exported, _: Key, values: Values) -> bool:
    below, first = number(values["below"]), number(values["first"])
    seen = {percent(row["similarity"]) for row in exported.pairs}
    return {below, first} <= seen and not any(below < one < first for one in seen)


@states(
    "cases list", "p.lead",
    "{looks} pair of {span}: look at it.", "{looks} pairs of {span}: look at them.",
)  # fmt: skip
def to_look_at(exported: Exported, _: Key, values: Values) -> bool:
    rows = [row["similarity"] for row in exported.pairs if row["band"] == "look" and _is_above(exported, row)]
    ends = [number(one) for one in values["span"].split(" to ")]
    counted = number((values.get("looks") or values["few"]).rpartition(" ")[2])
    return counted == len(rows) and ends == list(dict.fromkeys([percent(min(rows)), percent(max(rows))]))


@states(
    "cases list", "p.lead",
    "{few} pair to look at is below the threshold: read it last.",
    "{few} pairs to look at are below the threshold: read them last.",
)  # fmt: skip
def to_look_at_below(exported: Exported, _: Key, values: Values) -> bool:
    looks = [row for row in exported.pairs if row["band"] == "look" and _is_above(exported, row)]
    return number(values["few"].rpartition(" ")[2]) == sum(row["case"] is None for row in looks)


@states(
    "cases list", "p.lead",
    "{few} pair of {span} is below the threshold: read it last.",
    "{few} pairs of {span} are below the threshold: read them last.",
)  # fmt: skip
def all_to_look_at_below(exported: Exported, key: Key, values: Values) -> bool:
    return to_look_at(exported, key, values) and to_look_at_below(exported, key, values)


@states(
    "cases list", "p.lead",
    "{n} pair from {far} on stands out.", "{n} pairs from {far} on stand out.",
)  # fmt: skip
def outstanding(exported: Exported, _: Key, values: Values) -> bool:
    rows = [row["similarity"] for row in exported.pairs if row["band"] == "stands out"]
    return number(values["n"].rpartition(" ")[2]) == len(rows) and is_percent(values["far"], min(rows))


@states(
    "cases list", "p.lead",
    "Not counted: {apart} pair of {look} or more with a model solution or of one student.",
    "Not counted: {apart} pairs of {look} or more with a model solution or of one student.",
)  # fmt: skip
def not_counted(exported: Exported, _: Key, values: Values) -> bool:
    said = "the same student", "model solution"
    flagged = [row for row in exported.pairs if any(one in flag for flag in row["flags"] for one in said)]
    rows = [row for row in flagged if percent(row["similarity"]) >= number(values["look"])]
    return number(values["apart"]) == len(rows) > 0


@states("cases list", "p.lead", "{n} pair of {far} stands out.", "{n} pairs of {far} stand out.")
def equally_outstanding(exported: Exported, key: Key, values: Values) -> bool:
    rows = [row["similarity"] for row in exported.pairs if row["band"] == "stands out"]
    return outstanding(exported, key, values) and is_percent(values["far"], max(rows))


@states(
    "cases list", "p.lead",
    "{{ n }} pair below has an identical file:", "{{ n }} pairs below have identical files:",
)  # fmt: skip
def files_below(exported: Exported, _: Key, values: Values) -> bool:
    low = [row for row in exported.pairs if row["case"] is None and not _is_above(exported, row)]
    with_files = [row for row in low if any("identical file" in flag for flag in row["flags"])]
    named = all(exported.same_files(row["left"], row["right"]) for row in with_files)
    return number(values["n"].rpartition(" ")[2]) == len(with_files) and named


@states(
    "cases list", "p.lead",
    "{{ n }} pair below has nearly all of one side in shared passages, without common code:",
    "{{ n }} pairs below have nearly all of one side in shared passages, without common code:",
)  # fmt: skip
def whole_below(exported: Exported, _: Key, values: Values) -> bool:
    low = [row for row in exported.pairs if not _is_above(exported, row)]
    shares = ("left_without_common", "right_without_common")
    whole = [row for row in low if max(row[side] for side in shares) >= 0.95 and row["tokens"] >= 30]
    return number(values["n"].rpartition(" ")[2]) == len(whole)


@states(
    "cases", "#line-says",
    "{{ above }} of {{ total }} submissions are in a pair of at least {{ percentage }}.",
)  # fmt: skip
def best_above(exported: Exported, _: Key, values: Values) -> bool:
    above = sum(
        (row["similarity"] or 0) * 100 >= number(values["percentage"])
        for row in exported.submissions
        if row["submission"] in exported.own
    )
    linked = {name for row in exported.pairs if row["case"] for name in (row["left"], row["right"])}
    in_pair = len(linked - exported.earlier)
    total = number(values["total"]) == exported.size
    return total and in_pair <= number(values["above"]) <= above


@states("cases submission", ".same > p, section p", "{{ n }} submissions, {{ description }}:")
def same_work(exported: Exported, key: Key, values: Values) -> bool:
    """Check what the named submissions have in common."""
    nodes = (
        text
        for text in exported.pages[key].texts(".same > p, section p")
        if f"{values['n']} submissions, {values['description']}:" in text
    )
    tail = next(nodes, "").partition(f"{values['description']}:")[2]
    names = [name for name in exported.sources if re.search(_named(name), tail)]
    if number(values["n"]) != len(names) or not set(names) <= set(exported.sources):
        return False
    files = [exported.compared_files(name) for name in names]
    description = values["description"]
    if description.startswith("the same file "):
        path = description.removeprefix("the same file ")
        texts = {text for of_one in files for at, text in of_one if at == path}
        return any(all(text in exported.sources[name].values() for name in names) for text in texts)
    contents = [[_content(description, path, text) for path, text in of_one] for of_one in files]
    return all(sorted(of_one) == sorted(contents[0]) for of_one in contents)


def _content(description: str, path: str, text: str) -> str:
    """Return what files that are described as the same have in common."""
    if description == "the same content":
        return text
    is_written_alike = description == "the same but for layout and comments"
    return " ".join(words(text, path) if is_written_alike else folded(words(text, path)))


# Cases and submissions.


@states("case", "h1", "Case {{ number }}: {{ n }} submissions")
def members(exported: Exported, key: Key, values: Values) -> bool:
    return set(exported.cases[number(values["number"])]) == set(key[1:]) and number(values["n"]) == len(key) - 1


def _within(exported: Exported, key: Key) -> list[float]:
    both = (exported.row_by_pair.get(frozenset(pair)) for pair in combinations(key[1:], 2))
    return [row["similarity"] for row in both if row and row["case"] is not None]


@states(
    "case", "p",
    "{{ n }} pairs connect them; the strongest is {{ strongest }}, the mean {{ mean }}.",
)  # fmt: skip
def connected(exported: Exported, key: Key, values: Values) -> bool:
    found = _within(exported, key)
    return (number(values["n"]), number(values["strongest"]), number(values["mean"])) == (
        len(found),
        percent(max(found)),
        percent(mean(found)),
    )


@states("case", "p.lead", "They are {{ strongest }} similar.")
def only_pair(exported: Exported, key: Key, values: Values) -> bool:
    return [number(values["strongest"])] == [percent(one) for one in _within(exported, key)]


@states("case", "p", "{{ several }} of them handed in the same files.")
def same_in_case(exported: Exported, key: Key, values: Values) -> bool:
    return _same_in_groups(exported, key) == [number(values["several"].rpartition(". ")[2])]


@states("case", "p", "In each of {{ n }} groups of them, all handed in the same files.")
def same_in_groups(exported: Exported, key: Key, values: Values) -> bool:
    return 1 < number(values["n"]) == len(_same_in_groups(exported, key))


def _same_in_groups(exported: Exported, key: Key) -> list[int]:
    """Return the sizes of the groups of members with the same files."""
    contents = Counter(tuple(sorted(exported.sources[name].values())) for name in key[1:])
    return [size for size in contents.values() if size > 1]


@states("list", "tr.pair td.flags", "{{ n }} identical file", "{{ n }} identical files")
def flagged_files(exported: Exported, _: Key, values: Values) -> bool:
    counts = [len(exported.same_files(row["left"], row["right"])) for row in exported.pairs]
    return 0 < number(values["n"]) <= max(counts)


@states("pair", "summary", "Similarity {{ similarity }}, details")
def similarity(exported: Exported, key: Key, values: Values) -> bool:
    return is_percent(values["similarity"], exported.row(key)["similarity"])


@states("document", "table.figures td", "{{ share }} without common code")
def without_common(exported: Exported, key: Key, values: Values) -> bool:
    row = exported.row(key)
    return any(is_percent(values["share"], row[f"{side}_without_common"]) for side in ("left", "right"))


@states("submission", ".place", "The threshold is {{ limit }}.")
def line_of_class(exported: Exported, _: Key, values: Values) -> bool:
    """Check that every pair of a case reaches the threshold, and that no other does."""
    above = [row["similarity"] for row in exported.pairs if row["case"] is not None]
    below = [row["similarity"] for row in exported.pairs if row["case"] is None]
    return percent(max(below, default=0)) <= number(values["limit"]) <= percent(min(above, default=1))


@states(
    "case", "p",
    "The {{ n }} others have the same part of {{ name }}’s submission: at least {{ share }} without common code.",
)  # fmt: skip
def core(exported: Exported, key: Key, values: Values) -> bool:
    name, others = values["name"], [one for one in key[1:] if one != values["name"]]
    shares = [exported.side((key[0], name, one), name, "without_common") for one in others]
    return number(values["n"]) == len(others) and number(values["share"]) <= percent(min(shares))


def _own(exported: Exported, key: Key) -> dict[str, object]:
    return next(row for row in exported.submissions if row["submission"] == key[1])


@states("submission", ".place", "Its best match, with {{ best_name }}, is {{ similarity }}:")
def best_match(exported: Exported, key: Key, values: Values) -> bool:
    found = [row for row in exported.pairs if key[1] in (row["left"], row["right"])]
    top = max(found, key=lambda row: row["similarity"])
    named = exported.row_by_pair[frozenset((key[1], values["best_name"]))]
    return named["similarity"] == top["similarity"] and is_percent(values["similarity"], top["similarity"])


def _standing(exported: Exported, key: Key) -> tuple[int, int, int]:
    """Return how many submissions have a better best match, an equal one, and a lower one."""
    own = _own(exported, key)["similarity"]
    others = [
        row["similarity"]
        for row in exported.submissions
        if row["submission"] != key[1] and row["submission"] in exported.own
    ]
    return (
        sum(one > own for one in others),
        sum(one == own for one in others),
        sum(one < own for one in others),
    )


@states("submission", ".place", "the {{ ordinal }} highest of {{ total }} submissions")
def place(exported: Exported, key: Key, values: Values) -> bool:
    total = number(values["total"]) == exported.size
    return total and number(values["ordinal"]) == _standing(exported, key)[0] + 1


@states("submission", ".place", ": the highest of {{ total }} submissions")
def first_place(exported: Exported, key: Key, values: Values) -> bool:
    return number(values["total"]) == exported.size and _standing(exported, key)[0] == 0


@states("submission", ".place", "tied with {{ n }} other", "tied with {{ n }} others")
def tied(exported: Exported, key: Key, values: Values) -> bool:
    return number(values["n"]) == _standing(exported, key)[1]


@states("submission", ".place", "above {{ share }} of the others")
def above_others(exported: Exported, key: Key, values: Values) -> bool:
    return is_percent(values["share"], _standing(exported, key)[2] / (exported.size - 1))


@states("submission", "#files-heading", "{{ n }} file", "{{ n }} files")
def files_of_one(exported: Exported, key: Key, values: Values) -> bool:
    return number(values["n"]) == len(exported.sources[key[1]]) == _own(exported, key)["files"]


@states("submission", "#pairs-heading", "{{ n }} pair", "{{ n }} pairs")
def pairs_of_one(exported: Exported, key: Key, values: Values) -> bool:
    return number(values["n"]) == sum(key[1] in (row["left"], row["right"]) for row in exported.pairs)


# What documents print of files and passages.


def printed_files(exported: Exported) -> Iterator[str]:
    """Check lines, bytes and SHA-256 of every file of a document."""
    for key in exported.pages:
        if key[0] == "document":
            for name, path, lines, size, digest in exported.pages[key].rows("table.files tbody tr"):
                data, text = exported.data(name, path), exported.sources[name][path]
                again = len(text.splitlines()), len(data), hashlib.sha256(data).hexdigest()
                if (number(lines), number(size), digest) != again:
                    yield f"{name}: {path} is printed with {lines}, {size}, {digest}, and has {again}"


def printed_lines(exported: Exported) -> Iterator[str]:
    """Check that each printed line is the line of the file that has its number."""
    for key in exported.pages:
        for passage in exported.passages(key) if key[0] == "document" else ():
            for side, name in enumerate(key[1:]):
                lines = exported.sources[name][passage.paths[side]].splitlines()
                for (at, text), (margin, _) in zip(passage.lines(side), passage.printed(side), strict=True):
                    if " ".join(lines[at - 1].split()) != " ".join(text.split()):
                        yield f"{name}: line {at} of {passage.paths[side]} is printed as {text}"
                    in_cell = _in_cell(lines[:at]) if passage.paths[side].endswith(".ipynb") else f"line {at}"
                    if int(margin or 0) != number(in_cell.rpartition(" ")[2]):
                        yield f"{name}: {in_cell} of {passage.paths[side]} has the number {margin}"


def identical_first(exported: Exported) -> Iterator[str]:
    """Check that a file that both sides have is compared with itself, and that nothing in it differs."""
    for key in exported.pages:
        for passage in exported.passages(key) if key[0] == "document" else ():
            left, right = (exported.sources[name] for name in key[1:])
            own, other = left[passage.paths[0]], right[passage.paths[1]]
            if own != other and (own in right.values() and other in left.values()):
                yield f"{' / '.join(key)}: {passage.paths} are joined, and each has its twin"


def tables_agree(exported: Exported) -> Iterator[str]:
    """Check the band, the flags and the best match of every row by the others."""
    for row in exported.pairs:
        same = sorted(exported.sources[row["left"]].values()) == sorted(exported.sources[row["right"]].values())
        if same != ("identical" in row["flags"]):
            yield f"{row['left']} / {row['right']}: flags {row['flags']}, and the bytes are the same: {same}"
        own = exported.own_files(row["left"], row["right"])
        if own and not any("identical" in flag for flag in row["flags"]):
            yield f"{row['left']} / {row['right']}: nothing says that {', '.join(own)} are identical"
        flagged = [number(flag) for flag in row["flags"] if "identical file" in flag]
        if flagged and flagged[0] > len(exported.same_files(row["left"], row["right"])):
            yield f"{row['left']} / {row['right']}: {row['flags']}, and fewer files are the same"


def copies_are_whole(exported: Exported) -> Iterator[str]:
    """Check that a program that differs in names and values alone is one passage, whole."""
    for key in exported.pages:
        is_single = key[0] == "document" and all(len(exported.sources[name]) == 1 for name in key[1:])
        passages = list(exported.passages(key)) if is_single else []
        if passages and folded(exported.tokens(key[1])) == folded(exported.tokens(key[2])) and len(passages) > 1:
            yield f"{' / '.join(key)}: a copy of a whole program is {len(passages)} passages"


def cells_of_notebooks(exported: Exported) -> Iterator[str]:
    """Check that places in notebooks are said in cells, and those in no other file; `printed_lines` checks which."""
    for key, page in exported.pages.items():
        for place in page.texts("table.beside thead th .meta") if key[0] == "document" else []:
            if bool(re.search(r"\.ipynb, cell \d+, line \d+( … cell \d+, line \d+)?$", place)) != (".ipynb, " in place):
                yield f"{' / '.join(key)}: {place}"


def _in_cell(lines: list[str]) -> str:
    """Return where the last line is in its cell, by the lines of a notebook up to it."""
    heads = [at for at, line in enumerate(lines) if line.startswith("───── cell")]
    return f"cell {len(heads)}, line {len(lines) - 1 - heads[-1]}"


DOCUMENTS = [printed_files, printed_lines, identical_first, tables_agree, copies_are_whole, cells_of_notebooks]

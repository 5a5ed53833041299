"""Sentences on a class, its cases, lists and passages, each with a check that counts it in exported files."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from tests.support.checking.exported import UNCOMPARED, Exported, K, Passage, comments, folded, grams, words
from tests.support.checking.sentences import (
    DOCUMENTS,
    Key,
    Values,
    is_percent,
    number,
    percent,
    states,
    written_counts,
)
from tests.support.html import Page, text_of

MODIFIERS = re.compile(r"[^\w\s]|\b(?:public|private|protected|final|static|import|from|require|include|use)\b")

LINES_STATED = re.compile(r"(\d[\d,]*) lines?\b")

# Passages.


def _comments(exported: Exported, name: str) -> list[str]:
    files = exported.sources[name].items()
    return ["".join(one.split()) for path, text in files for one in comments(text, path)]


@states(
    "pair document", ".about p, .passage .meta",
    "Comments differ in {{ n }} place.", "Comments differ in {{ n }} places.",
)  # fmt: skip
def comments_differ(exported: Exported, key: Key, values: Values) -> bool:
    left, right = (_comments(exported, name) for name in key[1:])
    return sorted(left) != sorted(right) and 0 < number(values["n"]) <= len(left) + len(right)


@states(
    "pair document", ".about p, .passage .meta",
    "Other text that is not compared, such as brackets, modifiers or imports, differs in {{ n }} place.",
    "Other text that is not compared, such as brackets, modifiers or imports, differs in {{ n }} places.",
)  # fmt: skip
def brackets_differ(exported: Exported, key: Key, values: Values) -> bool:
    signs = [sum(len(MODIFIERS.findall(text)) for text in exported.sources[name].values()) for name in key[1:]]
    return 0 < number(values["n"]) <= sum(signs)


@states(
    "pair document", ".about p, .passage .meta",
    "A keyword is in other capitals in {{ n }} place.", "Keywords are in other capitals in {{ n }} places.",
)  # fmt: skip
def capitals_differ(exported: Exported, key: Key, values: Values) -> bool:
    left, right = (Counter(re.findall(r"\w+", "\n".join(exported.sources[name].values()))) for name in key[1:])
    return 0 < number(values["n"]) <= (left - right).total()


def names_both(key: Key, values: Values) -> bool:
    """Return whether a sentence names both sides of its pair."""
    named = values["name"].rpartition(". ")[2]
    return {named, values["others"]} == set(key[1:])


def _headed(exported: Exported, key: Key, text: str) -> list[Passage]:
    return [one for one in exported.passages(key) if text in one.heading]


@states("document", ".passage h3", "{{ n }} line", "{{ n }} lines")
def lines_of_passage(exported: Exported, key: Key, values: Values) -> bool:
    """Check that so many lines are printed, and that the passages have the lines of the pair in all.

    Passages that have a line in common are not added up.
    """
    stated = number(values["n"])
    noun = "line" if stated == 1 else "lines"
    printed = [_most_lines([one]) for one in _headed(exported, key, f"{stated:,} {noun}")]
    if not printed or not all(0 < stated <= count for count in printed):
        return False
    passages = [one for one in exported.passages(key) if not one.common]
    found = [LINES_STATED.search(one.heading) for one in passages]
    sizes = [(len(_printed(passages, side)), [len(_printed([one], side)) for one in passages]) for side in (0, 1)]
    is_apart = all(size == sum(parts) for size, parts in sizes)
    total = sum(number(one[1]) for one in found if one)
    return not all(found) or not is_apart or total == exported.row(key)["lines"]


def _most_lines(passages: list[Passage]) -> int:
    """Return how many lines of the side with more lines are printed."""
    return max(len(_printed(passages, side)) for side in (0, 1))


def _printed(passages: list[Passage], side: int) -> set[tuple[str, int]]:
    return {(one.paths[side], at) for one in passages for at, _ in one.lines(side)}


@states("document", ".passage h3", "interrupted {{ n }} time", "interrupted {{ n }} times")
def interruptions(exported: Exported, key: Key, values: Values) -> bool:
    """Check that a passage with so many interruptions has a piece of some tokens between each two."""
    stated = number(values["n"])
    passages = _headed(exported, key, f"interrupted {stated:,} time")
    return stated > 0 and bool(passages) and all(stated < 4 * len(one.rows) for one in passages)


@states(
    "document", ".passage h3",
    "the whole also in up to {{ n }} other", "the whole also in up to {{ n }} others",
)  # fmt: skip
def also_in(exported: Exported, key: Key, values: Values) -> bool:
    others, of_class = number(values["n"]), len({*exported.own} & {*key[1:]})
    passages = _headed(exported, key, f"the whole also in up to {others:,} other")
    return 0 < others <= exported.size - of_class and all(exported.having(one) - of_class <= others for one in passages)


@states("document", ".passage .meta", "Written differently: {{ counts }}, such as")
def written(exported: Exported, key: Key, values: Values) -> bool:
    """Compare the counts with the words of one of the passages, and these with all that both have."""
    stated = written_counts(values["counts"])
    for passage in exported.passages(key):
        pairs, whole = passage.changed()
        inner, most = written_counts(passage.changed(inner=True)[0]), written_counts(pairs)
        known = {word for _, line in passage.lines(0) for word in words(line, passage.paths[0])}
        fits = all(inner[kind] <= counted <= most[kind] for kind, counted in stated.items())
        if fits or (not whole and sum(stated.values()) <= len(known)):
            return sum(stated.values()) > 0
    return False


@states(
    "pair document",
    ".summary, p.lead",
    "{name} and {others} share no run of nine tokens: the similarity comes from {parts}.",
)
def no_run(exported: Exported, key: Key, values: Values) -> bool:
    sides = ([one for one in exported.tokens(name, tags=False) if one not in UNCOMPARED] for name in key[1:])
    left, right = (set(grams(folded(side))) for side in sides)
    return names_both(key, values) and exported.row(key)["tokens"] == 0 and len(left & right) <= K


@states(
    "pair", ".notice",
    "All that these two share is common code. The limit is {{ limit }} submissions",
)  # fmt: skip
def all_common(exported: Exported, key: Key, values: Values) -> bool:
    return exported.row(key)["tokens"] == 0 and number(values["limit"]) == exported.common_limit


@states(
    "document", "table.figures td",
    "rank {{ rank }} of {{ pairs }} pairs, those with earlier or other work included",
)  # fmt: skip
def rank_of_all(exported: Exported, key: Key, values: Values) -> bool:
    least, rank = exported.row(key)["similarity"], number(values["rank"])
    above = sum(row["similarity"] > least for row in exported.pairs)
    ties = sum(row["similarity"] == least for row in exported.pairs)
    is_other = any(name in exported.earlier for name in key[1:])
    return is_other and above < rank <= above + ties and number(values["pairs"]) == len(exported.pairs)


# Cases and submissions.


@states("case", "section .soft", "{{ percentage }}, {{ n }} shared line", "{{ percentage }}, {{ n }} shared lines")
def strongest(exported: Exported, key: Key, values: Values) -> bool:
    inside = [row for row in exported.pairs if {row["left"], row["right"]} <= set(key[1:])]
    top = [row for row in inside if row["similarity"] == max(one["similarity"] for one in inside)]
    stated = number(values["percentage"]), number(values["n"])
    return stated in [(percent(row["similarity"]), row["lines"]) for row in top]


@states(
    "submission", "p.with",
    "Case of {{ n }} submissions, linked by pairs of at least {{ limit }}",
)  # fmt: skip
def case_of(exported: Exported, key: Key, values: Values) -> bool:
    members = next(names for names in exported.cases.values() if key[1] in names)
    links = [row["similarity"] for row in exported.pairs if {row["left"], row["right"]} <= set(members)]
    reached = [one for one in links if 100 * one >= number(values["limit"]) - 1e-6]
    return number(values["n"]) == len(members) <= len(reached) + 1


@states("submission", ".place", "It shares no counted code with any of the {{ n }} others.")
def shares_nothing(exported: Exported, key: Key, values: Values) -> bool:
    shared = [row for row in exported.pairs if key[1] in (row["left"], row["right"]) and row["similarity"] > 0]
    return not shared and number(values["n"]) == exported.size - 1


@states(
    "case-document", "p",
    "{{ n }} weaker pair is left out; the page of the case has its similarity.",
    "{{ n }} weaker pairs are left out; the page of the case has their similarities.",
)  # fmt: skip
def weaker(exported: Exported, key: Key, values: Values) -> bool:
    members = set(key[1:])
    links = [row for row in exported.pairs if {row["left"], row["right"]} <= members and row["case"] is not None]
    printed = len(exported.pages[key].all("section.chapter"))
    return number(values["n"]) <= len(links) - printed and printed >= 1


@states("case-document", "p", "The pairs below, of at least {{ threshold }}, link the members.")
def printed_links(exported: Exported, key: Key, values: Values) -> bool:
    rows = [row for row in exported.pairs if {row["left"], row["right"]} <= set(key[1:]) and row["case"]]
    return number(values["threshold"]) == percent(exported.parameters["threshold"]["value"]) and all(
        percent(row["similarity"]) >= number(values["threshold"]) for row in rows
    )


# The first page of a document, and its questions.


@states(
    "document case-document",
    ".hearing h3 .meta, .question .meta",
    "Passage {{ number }}: at most {{ some }} of {{ all }} submissions have all of it",
)
def bound_of_first(exported: Exported, key: Key, values: Values) -> bool:
    """Check that a printed passage of this number has this bound; `at_most` checks that."""
    bound = f"in at most {values['some']} of {values['all']} submissions"
    return any(
        bound in one.heading and one.heading.startswith(f"Passage {values['number']} ")
        for one in exported.passages(key)
    )


@states(
    "document case-document", ".question p",
    "Explain line {{ line }}.",
    "Explain lines {{ first_line }} to {{ last_line }}.",
    "Explain {{ cells }}.",
)  # fmt: skip
def asked_lines(exported: Exported, key: Key, values: Values) -> bool:
    """Check that just these lines of a file are printed under the question."""
    asked = [values[name] for name in ("line", "first_line", "last_line") if name in values]
    asked = asked or re.findall(r"\d+", values["cells"])
    lines = f"line{'s' * (len(asked) > 1)} {' to '.join(asked)}"
    sentence = f"Explain {values.get('cells', lines)}. "
    found = [node for node in exported.pages[key].all(".question") if text_of(node).startswith(sentence)]
    return bool(found) and all(any(_is_asked(exported, name, node, asked) for name in key[1:]) for node in found)


def _is_asked(exported: Exported, name: str, node: LexborNode, asked: list[str]) -> bool:
    """Return whether the rows of a question are these lines of a file, from the first to the last."""
    rows = [[text_of(cell) for cell in row.css("td")] for row in node.css("tbody tr")]
    code = node.css_first("code")
    path = text_of(code) if code else ""
    if path not in exported.sources[name]:
        return False
    if path.endswith(".ipynb"):
        place = text_of(node).partition(". ")[0].removeprefix("Explain ")
        asked = re.findall(r"\d+", exported.in_text(name, f"{path}, {place}").rpartition(", ")[2])
        shown = [text for at, text in rows if at or text.startswith("───── cell ")]
        rows = [[str(at), text] for at, text in enumerate(shown, int(asked[0]))]
    printed = [(int(at), " ".join(text.split())) for at, text in rows if at]
    lines = [" ".join(line.split()) for line in exported.sources[name][path].splitlines()]
    is_printed = all(text in lines[at - 1] for at, text in printed if at <= len(lines))
    return is_printed and [printed[0][0], printed[-1][0]] == [int(asked[0]), int(asked[-1])]


@states("case-document", ".question .meta", "Pair {{ number }}.")
def asked_pair(exported: Exported, key: Key, values: Values) -> bool:
    return 0 < number(values["number"]) <= len(exported.pages[key].all("section.chapter"))


@states("document case-document", ".renamed .meta", "and {{ n }} more name", "and {{ n }} more names")
def more_names(exported: Exported, key: Key, values: Values) -> bool:
    """Count the names that differ in the passages of the first pair, of which the page lists some."""
    listed = len(exported.pages[key].all(".renamed code")) // 2
    return 0 < number(values["n"]) <= len(_replaced(exported, key)) - listed


@states("document case-document", ".hashes td", "and {{ n }} more file", "and {{ n }} more files")
def more_files(exported: Exported, key: Key, values: Values) -> bool:
    rows = Counter(row[0] for row in exported.pages[key].rows(".hashes tbody tr"))
    return number(values["n"]) in {len(exported.sources[name]) - shown for name, shown in rows.items()}


def _replaced(exported: Exported, key: Key) -> Counter[tuple[str, str]]:
    """Return the words with those in their places that differ, in the passages of the first pair."""
    replaced = Counter[tuple[str, str]]()
    headings = Counter[str]()
    for passage in exported.passages(key):
        headings[passage.heading.split()[1]] += 1
        if headings["1"] == 1:
            replaced += passage.changed()[0]
    return replaced


def first_pages(exported: Exported) -> Iterator[str]:
    """Check the dots, names, SHA-256 and similarities of the first page of every document."""
    for key, page in exported.pages.items():
        if "document" in key[0] and page.has(".hearing"):
            faults = (*_dots(exported, page), *_names(exported, key), *_hashes_and_matrix(exported, page))
            yield from (f"{' / '.join(key)}: {fault}" for fault in faults)


def _dots(exported: Exported, page: Page) -> Iterator[str]:
    counts = [len(page.all(f".dots i{css}")) for css in ("", ".pair", ".some")]
    some = re.search(r"at most (\d+) of", page.text(".hearing h3 .meta")) if counts[0] else None
    if some and counts != [exported.size, 2, int(some[1]) - 2]:
        yield f"{counts} dots of {exported.size}"


def _names(exported: Exported, key: Key) -> Iterator[str]:
    replaced, whole = _replaced(exported, key), all(one.changed()[1] for one in exported.passages(key))
    for item in exported.pages[key].texts(".renamed li:has(code)"):
        left, right, times = re.split(r" → | (?=\d+\S$)", item)
        if whole and not 0 < number(times) <= replaced[left, right]:
            yield f"{item}, and {replaced[left, right]} in the passages"


def best_matches(exported: Exported) -> Iterator[str]:
    """Check the best match of each member on the page of a case."""
    for key, page in exported.pages.items():
        for row in page.rows(".members tbody tr") if key[0] == "case" else ():
            inside = [(one, exported.row_by_pair.get(frozenset((row[1], one)))) for one in key[1:]]
            known = {one: pair["similarity"] for one, pair in inside if pair}
            name, _, figure = row[-1].rpartition(", ")
            if percent(max(known.values())) not in {number(figure), percent(known.get(name, -1))}:
                yield f"{' / '.join(key)}: the best match of {row[1]} is {row[-1]}"


def _hashes_and_matrix(exported: Exported, page: Page) -> Iterator[str]:
    for name, *_, path, digest in page.rows(".hashes tbody tr"):
        if hashlib.sha256(exported.data(name, path.split(", and ")[0])).hexdigest() != digest:
            yield f"{path} of {name} has another SHA-256"
    members = page.texts(".matrix tbody td:nth-child(2)")
    for row in page.rows(".matrix tbody tr"):
        for other, cell in zip(members, row[-len(members) :], strict=True):
            known = exported.row_by_pair.get(frozenset((row[1], other)))
            stated = str(percent(known["similarity"])) if known else ""
            if re.sub(r"\D", "", cell) != stated:
                yield f"{row[1]} and {other} have {stated}, not {cell}"


# The report.


@states(
    "cases list",
    ".made dd",
    "{{ n }} pair shares enough to be scored",
    "{{ n }} pairs share enough to be scored",
)
def scored(exported: Exported, _: Key, values: Values) -> bool:
    return number(values["n"]) == len(exported.pairs)


@states("cases", ".hint", "Suggested: {{ percentage }}. {{ reason }}.")
def suggested(exported: Exported, _: Key, values: Values) -> bool:
    """Check the threshold, and that no pair lies where the reason says that there is none."""
    ends = [int(text) for text in re.findall(r"between (\d+) % and (\d+) %", values["reason"]) for text in text]
    between = [
        row
        for row in exported.pairs
        if ends and ends[0] < percent(row["similarity"]) < ends[1] and exported.is_own(row)
    ]
    return is_percent(values["percentage"], exported.parameters["threshold"]["value"]) and not between


@states("cases list", ".hint", "Pairs stand out from {{ percentage }} on; those between are to be looked at.")
def from_on(exported: Exported, _: Key, values: Values) -> bool:
    least = number(values["percentage"])
    bands = [(percent(row["similarity"]) >= least, row["band"] == "stands out") for row in exported.pairs]
    return all(reaches == outstanding for reaches, outstanding in bands) and least == percent(
        exported.parameters["threshold"]["stands_out"]
    )


@states("cases", "p", "Groups linked by pairs of at least {{ percentage }}, the strongest first.")
def groups(exported: Exported, _: Key, values: Values) -> bool:
    links = [row["similarity"] for row in exported.pairs if row["case"] is not None]
    value = number(values["percentage"])
    return value == percent(exported.parameters["threshold"]["value"]) and all(percent(one) >= value for one in links)


@states("list", ".hint", "The dashed line is the threshold of {{ limit }}.")
def dashed(exported: Exported, _: Key, values: Values) -> bool:
    return is_percent(values["limit"], exported.parameters["threshold"]["value"])


@states(
    "list",
    "svg title",
    "{{ low }} to {{ high }} %%: {{ n }} pair",
    "{{ low }} to {{ high }} %%: {{ n }} pairs",
)
def bar(exported: Exported, _: Key, values: Values) -> bool:
    low, high = number(values["low"]), number(values["high"])
    inside = [row for row in exported.pairs if low <= percent(row["similarity"]) < high + (high == 100)]
    return number(values["n"]) == len(inside) > 0


@states(
    "high list", "#report-heading ~ p",
    "It is {{ percentage }} similar or more.", "They are {{ percentage }} similar or more.",
    "None is {{ percentage }} similar or more.",
)  # fmt: skip
def at_least(exported: Exported, key: Key, values: Values) -> bool:
    """Check the heading beside it, of pages at a threshold that somebody chose."""
    least = number(values["percentage"])
    return key[0] == "list" or any(least == number(part) for part in key[1:])


@states(
    "high", "p.lead", "One pair is {{ percentage }} similar or more.",
    "{{ n }} pairs are {{ percentage }} similar or more.", "No pair is {{ percentage }} similar or more.",
)  # fmt: skip
def reaching(exported: Exported, key: Key, values: Values) -> bool:
    least = number(values["percentage"])
    rows = [row for row in exported.pairs if percent(row["similarity"]) >= least and exported.can_link(row)]
    return least == number(key[1]) and len(rows) == number(values["n"]) if "n" in values else len(rows) <= 1


@states("ignored", ".starter p", "All {{ n }} submissions have this code, which is not registered as boilerplate.")
def offered_to_all(exported: Exported, _: Key, values: Values) -> bool:
    return number(values["n"]) == exported.size


@states(
    "ignored", ".starter p",
    "At least {{ n }} of {{ total }} submissions have this code, which is not registered as boilerplate.",
)  # fmt: skip
def offered(exported: Exported, _: Key, values: Values) -> bool:
    return 1 < number(values["n"]) < number(values["total"]) == exported.size


@states(
    "cases list ignored", ".notice",
    "{{ some }} of {{ all }} submissions share {{ n }} line that is treated as common code.",
    "{{ some }} of {{ all }} submissions share {{ n }} lines that are treated as common code.",
)  # fmt: skip
def shared_lines(exported: Exported, _: Key, values: Values) -> bool:
    """Check that so many submissions have so many equal lines, whatever their names."""
    some, lines = number(values["some"]), number(values["n"])
    counts: dict[str, int] = {}
    for name in exported.own:
        for line in exported.folded_lines(name):
            counts[line] = counts.get(line, 0) + 1
    common = sum(count >= some for count in counts.values())
    return number(values["all"]) == exported.size and some <= exported.size and lines > 0 < common


@states(
    "ignored", "p",
    "No code is ignored: no boilerplate is registered, and no code is in more than {{ limit }}",
)  # fmt: skip
def nothing_ignored(exported: Exported, _: Key, values: Values) -> bool:
    return number(values["limit"]) == exported.common_limit


@states(
    "ignored",
    "#common-heading ~ p",
    "Code in more than {{ limit }} {{ counted }}; it counts in shares alone.",
)
def limit_of_common(exported: Exported, _: Key, values: Values) -> bool:
    return number(values["limit"]) == exported.common_limit


@states("ignored", "li.piece", "{{ tokens }} tokens in {{ submissions }} submissions")
def piece(exported: Exported, _: Key, values: Values) -> bool:
    longest = max(len(exported.tokens(name)) for name in exported.own)
    limit = exported.common_limit
    some, nearly_all = number(values["submissions"]), 0.8 * exported.size
    return min(limit + 1, nearly_all) <= some <= exported.size and 0 < number(values["tokens"]) <= longest


@states(
    "uploads", ".skipped summary",
    "{{ n }} file was not compared", "{{ n }} files were not compared",
)  # fmt: skip
def uncompared(exported: Exported, key: Key, values: Values) -> bool:
    """Check the files by their names: every one that is no program and lies beside one."""
    others = [path for files in exported.kept.values() for path in files]
    return number(values["n"]) == len(others)


@states(
    "list", ".not-compared p",
    "{{ n }} submission of earlier or other work was compared with this class, not among itself.",
    "{{ n }} submissions of earlier or other work were compared with this class, not among themselves.",
)  # fmt: skip
def earlier_work(exported: Exported, _: Key, values: Values) -> bool:
    return number(values["n"]) == len(exported.earlier)


def nothing_is_hidden(exported: Exported) -> Iterator[str]:
    """Check that a page says that all was compared only where all was."""
    stated = "Nothing: every file of every upload was compared." in exported.pages["uploads",].text("body")
    if stated and exported.kept:
        yield f"every file was compared, it is said, and these are not: {exported.kept}"


def bins_add_up(exported: Exported) -> Iterator[str]:
    """Check the tables of the histograms: of best matches, and of pairs."""
    for row in exported.pages["cases",].rows("table.bins tbody tr"):
        low = number(row[0].partition("to")[0].partition("\N{EN DASH}")[0])
        values = [percent(one["similarity"] or 0) for one in exported.submissions if one["submission"] in exported.own]
        step = 100 if "100" in row[0] else number(row[0].partition("under")[2])
        if number(row[1]) != sum(low <= one < step or (step == 100 and one == 100) for one in values):
            yield f"best matches: {row}, and these are {sorted(values)}"


DOCUMENTS.extend((nothing_is_hidden, bins_add_up, first_pages, best_matches))

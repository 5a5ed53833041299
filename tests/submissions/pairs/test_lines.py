"""The two sides of a pair: plain lines, large files in parts, and the colours of passages."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from html import unescape
from itertools import combinations, product
from random import Random

import pytest
from coloraide import Color
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from hypothesis import given, strategies as st

from fingerprint.reading import read
from submissions.matches.line_by_line import MAX_LINES, diff, differing_words
from submissions.matches.source_html import COLOURS, line_starts
from submissions.models import Assignment, Decision, Pair, Report, Submission, SubmissionFile
from submissions.pages.filters import marked_lines
from submissions.pairs import pair_view, source_view as screen
from tests.support.html import Page, get_page, page_of
from tests.support.kept_classes import stored
from tests.support.paths import ROOT
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped
from tests.support.shares import link_to, shared_report
from tests.support.uploads import HandIn

# Lines with the kinds of their tokens: names and values have the same kinds.
LINES = {"": (), "a = 1": (1, 2, 3), "  b = 2": (1, 2, 3), "f(a)  ": (1, 1), "f[b]": (1, 4, 1), "# a": ()}
texts = st.lists(st.sampled_from(sorted(LINES)), max_size=12)


def folded_pair(left: str, right: str) -> bool:
    """Return whether two lines are the same but for names, values and layout."""
    one, other = (re.sub(r"[a-z]+", "n", re.sub(r"\d", "1", "".join(line.split()))) for line in (left, right))
    return one == other and LINES[left] == LINES[right]


def longest_series(left: list[str], right: list[str]) -> int:
    """Return how many lines that are not blank match in one order at most."""
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i, j in product(range(len(left)), range(len(right))):
        same = LINES[left[i]] == LINES[right[j]] and (LINES[left[i]] or left[i] == right[j])
        with_both = best[i][j] + (1 if same and left[i].strip() else 0)
        best[i + 1][j + 1] = max(best[i][j + 1], best[i + 1][j], with_both)
    return best[-1][-1]


# A string, statements, a comment and the last line of a program, with places for characters.
PLACES = {
    "a.js": 'x = "a{}b";\nx = 1;{}y = 2;\n/* a{}b */\nlast = first + 1;\n',
    "a.py": 'x = """a{}b"""\nx = 1\n{}\ny = 2\n# ab\n{}\nlast = first + 1\n',
    "A.java": 'class A {{ String x = """\na{}b""";\nint x = 1;{}int y = 2;\n/* a{}b */\nint last = 1; }}\n',
    "a.go": "package a\nvar x = `a{}b`\nvar x = 1;{}var y = 2\n/* a{}b */\nvar last = first + 1\n",
    "a.rb": 'x = "a{}b"\nx = 1\n{}\ny = 2\n# ab\n{}\nlast = first + 1\n',
    "a.f": "      X = 'A{}B'\n      X = 1\n{}\n      Y = 2\nC AB{}\n      LAST = FIRST + 1\n",
    "a.md": "one{}two\n{}```python\nx = f(1)\n```\nfive{}six\nlast first words\n",
    "a.lhs": "one{}two\n{}\\begin{{code}}\nx = f 1\n\\end{{code}}\nfive{}six\n\n> last = first + 1\n",
    "a.txt": "one{}two\nthree{}four\nfive{}six\nlast first words\n",
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\v", "\f", "\r", "\r\n", "\n", "\n\r", "\r\r\n"])
def test_the_line_of_a_token_is_that_of_the_page_and_of_an_editor(name: str, end: str) -> None:
    reading = read(PLACES[name].format(end, end, end).encode(), name)
    starts = line_starts(reading.text)
    assert reading.lines.tolist() == [bisect_right(starts, at) for at in reading.tokens.starts.tolist()]
    in_an_editor = re.sub("\r\n?", "\n", PLACES[name].format(end, end, end)).count("\n")
    assert len(starts) == reading.lines[-1] == in_an_editor


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\v", "\f"])
def test_no_code_begins_after_a_character_that_ends_no_line(end: str) -> None:
    prose = read(f"one{end}> y = g 2\n\n> x = f 1\n".encode(), "a.lhs").tokens.kinds.tolist()
    assert prose == read(b"one\n\n> x = f 1\n", "a.lhs").tokens.kinds.tolist()


@given(texts, texts)
def test_every_line_is_shown_once_on_its_side_and_those_that_are_the_same_but_for_names_line_up(
    left: list[str], right: list[str]
) -> None:
    shown = diff(left, right, *([LINES[line] for line in side] for side in (left, right)))
    rows = [row for row in shown.rows if row.kind != "elsewhere"]
    assert [row.left for row in rows if row.left_number] == [line.rstrip() for line in left]
    assert sorted(row.right_number for row in rows if row.right_number) == [*range(1, len(right) + 1)]
    assert all(row.right == right[row.right_number - 1].rstrip() for row in rows if row.right_number)
    in_order = [row.right_number for row in rows if row.right_number and not row.moved]
    assert in_order == sorted(in_order)
    counts = Counter(row.kind for row in rows if row.left and row.right)
    assert (shown.identical, shown.renamed) == (counts["same"], counts["renamed"])
    for row in rows:
        both = (left[row.left_number - 1], right[row.right_number - 1]) if row.left and row.right else None
        assert (row.kind == "same") == bool(row.left_number and row.right_number and row.left == row.right)
        assert row.kind != "renamed" or (both and folded_pair(*both))
        words = [
            [line[slice(*word)] for word in spans]
            for line, spans in zip((row.left, row.right), differing_words(row), strict=True)
        ]
        if row.kind == "renamed":
            assert all(one != other for one, other in zip(*words, strict=True))
        else:
            assert not {*words[0]} & {*words[1]}
        assert bool(words[0] or words[1]) <= (row.kind in {"renamed", "changed"})
        assert [unescape(re.sub("</?i>", "", line)) for line in marked_lines(row)] == [row.left, row.right]
        assert not both or bool(LINES[both[0]]) == bool(LINES[both[1]])
    lines = [line for line in (*left, *right) if line.strip()]
    assert shown.others == len(lines) - 2 * (shown.identical + shown.renamed)
    matched = sum(
        LINES[left[row.left_number - 1]] == LINES[right[row.right_number - 1]]
        for row in rows
        if row.left and row.right and not row.moved and row.kind != "elsewhere"
    )
    assert matched >= longest_series(left, right)


@pytest.mark.parametrize(
    ("left", "right", "kind", "marked"),
    [
        ("total = price * days", "total = price * days + 1", "changed", ["", "+ 1"]),
        ("int due = days;", "long due = days - due;", "changed", ["int", "long -"]),
        ("a(b);", "f(c, 2);", "apart", ["", ""]),
        ("# Cents for each day of delay", "# three tables instead of one", "apart", ["", ""]),
        ("total = price", "sum = price", "renamed", ["total", "sum"]),
    ],
)
def test_lines_beside_each_other_are_marked_only_where_most_words_are_in_both(
    left: str, right: str, kind: str, marked: list[str]
) -> None:
    [row] = diff([left], [right], kinds([left]), kinds([right])).rows
    assert row.kind == kind
    assert [" ".join(re.findall("<i>(.*?)</i>", line)) for line in marked_lines(row)] == marked


def kinds(lines: list[str]) -> list[tuple[int, ...]]:
    """Return one kind for each sign, and the same kind for all names and all values."""
    return [
        tuple(0 if one[0].isalpha() else 1 if one[0].isdecimal() else ord(one) for one in re.findall(r"\w+|\S", line))
        for line in lines
    ]


@given(st.permutations(range(4)))
def test_methods_in_another_order_are_beside_each_other(order: list[int]) -> None:
    forms = [
        [f"def one(a{', b' * number}):", *(f"    a = a {sign} {n} - one" for n in range(6)), ""]
        for number, sign in enumerate("+-*/")
    ]
    left = [line for form in forms for line in form]
    right = [line.replace("one", "two") for at in order for line in forms[at]]
    shown = diff(left, right, kinds(left), kinds(right))
    assert shown.others == 0
    for row in (row for row in shown.rows if row.kind == "elsewhere"):
        [beside] = (one for one in shown.rows if one.moved and one.right_number == row.right_number)
        assert row.left_number == beside.left_number


def test_the_head_of_a_moved_method_is_beside_its_own_and_not_beside_another_head() -> None:
    """The heads of both methods have the same form, and the second one of the left fits the first one of the right."""
    bodies = [[f"    a = a {sign} {n} - b" for n in range(count)] for sign, count in (("+", 6), ("*", 12))]
    left = ["def one(a, b):", *bodies[0], "", "def two(a, b):", *bodies[1]]
    right = ["def second(a, b):", *bodies[1], "", "def first(a, b):", *bodies[0]]
    rows = diff(left, right, kinds(left), kinds(right)).rows
    heads = {row.left: row.right for row in rows if row.left.startswith("def")}
    assert heads == {"def one(a, b):": "def first(a, b):", "def two(a, b):": "def second(a, b):"}


def test_the_lines_above_cells_are_not_searched_for_each_line() -> None:
    class Heads(list[int]):
        searches = 0

        def __contains__(self, line: object) -> bool:
            Heads.searches += 1
            return super().__contains__(line)

    lines = ["head" if at % 10 == 1 else f"line {at}" for at in range(1, MAX_LINES + 101)]
    heads = Heads(range(1, len(lines), 10))
    shown = diff(lines, lines, kinds(lines), kinds(lines), [heads, heads])
    assert (shown.identical, shown.others, Heads.searches) == (MAX_LINES - MAX_LINES // 10, 0, 0)


@given(st.permutations(range(6)))
def test_a_bracket_on_a_line_of_its_own_leaves_the_other_lines_alike(order: list[int]) -> None:
    headed = [line for at in order for line in (f"void f{at}() {{", f"    use({'+' * at} a);", "}")]
    below = [part for line in headed for part in ([line[:-2], "{"] if line.endswith(" {") else [line])]
    sizes = [[(1,) * len(re.findall(r"\w+|[+]", line)) for line in side] for side in (headed, below)]
    shown = diff(headed, below, *sizes)
    assert (shown.identical, shown.renamed, shown.others) == (12, 6, 6)


def test_of_long_files_the_page_says_how_much_it_does_not_show() -> None:
    both = diff(["x"] * (MAX_LINES + 7), ["x"])
    assert (both.left_more, both.right_more, both.identical, both.others) == (7, 0, 1, MAX_LINES - 1)


@pytest.fixture
def ids(hand_in: HandIn, assignment: Assignment) -> dict[str, int]:
    """Return the submissions by name: Ada's and Ben's are a pair, Cleo's shares nothing with theirs."""
    files = {"ada/a.py": COPIED, "ben/a.py": RENAMED, "cleo/a.py": HONEST, "cleo/other.py": "x = 1\n"}
    stored("two alike and one other", lambda: hand_in(zipped(files)))
    report = Report.objects.get(assignment=assignment)
    assert {(pair.left.name, pair.right.name) for pair in report.pairs.all()} >= {("ada", "ben")}
    return dict(report.submissions.values_list("name", "pk"))


def address(assignment: Assignment, ids: dict[str, int], left: str, right: str) -> str:
    return reverse("lines", args=[assignment.pk, ids[left], ids[right]])


@pytest.mark.long
def test_two_that_are_no_pair_are_shown_line_by_line(
    alice_client: Client, assignment: Assignment, ids: dict[str, int]
) -> None:
    assert not Report.objects.get(assignment=assignment).pairs.filter(right__name="cleo").exists()
    page = get_page(alice_client, address(assignment, ids, "ada", "cleo"))
    assert "These two are no pair of the newest report" in page.text(".lead")
    left_lines = [text for text in page.texts(".lines td:nth-child(2)") if text]
    assert left_lines == [line.strip() for line in COPIED.splitlines() if line.strip()]
    other = Submission.objects.get(pk=ids["cleo"]).files.get(path__endswith="other.py")
    page = get_page(alice_client, address(assignment, ids, "ada", "cleo"), right=str(other.pk))
    assert [text for text in page.texts(".lines td:nth-child(4)") if text] == ["x = 1"]


def test_a_suspicion_of_two_that_are_no_pair_is_stored_with_its_notes(
    alice_client: Client, assignment: Assignment, ids: dict[str, int]
) -> None:
    page = get_page(alice_client, address(assignment, ids, "ada", "cleo"))
    form = page.one("#decision-panel form").attributes["action"]
    sent = {name: page.values(f'#decision-panel [name="{name}"]', "value")[0] for name in ("decided_on", "seen")}
    sent |= {"state": "suspicious", "notes": "They sat side by side."}
    assert alice_client.post(str(form), sent).status_code == 302
    stored_one = assignment.decisions.get()
    assert (stored_one.left, stored_one.right, stored_one.state) == ("ada", "cleo", "suspicious")
    page = get_page(alice_client, address(assignment, ids, "ada", "cleo"))
    assert "They sat side by side." in page.text("#decision-panel textarea")
    listed = get_page(alice_client, reverse("submission", args=[assignment.pk, ids["cleo"]]))
    assert "suspicious" in listed.text("main").lower()


def test_files_of_long_paths_are_chosen_by_the_ends_that_differ(
    alice_client: Client, assignment: Assignment, ids: dict[str, int]
) -> None:
    paths = iter(("src/main/java/org/stock/Stock.java", "src/main/java/org/stock/Ware.java"))
    for file in Submission.objects.get(pk=ids["cleo"]).files.order_by("path"):
        SubmissionFile.objects.filter(pk=file.pk).update(path=next(paths))
    page = get_page(alice_client, address(assignment, ids, "ada", "cleo"))
    assert sorted(page.texts("select[name=right] option")) == ["Stock.java", "Ware.java"]


@pytest.fixture
def suspected(assignment: Assignment, ids: dict[str, int]) -> Decision:
    """Return the decision that Ada's and Cleo's submissions, which are no pair, are suspicious."""
    notes = "They sat side by side."
    return assignment.decisions.create(left="ada", right="cleo", state="suspicious", notes=notes)


def test_a_suspicion_by_hand_is_a_numbered_case_of_the_list_and_is_counted(
    alice_client: Client, assignment: Assignment, ids: dict[str, int], suspected: Decision
) -> None:
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.text("#cases-heading").startswith("2 cases among 3 submissions")
    assert "1 of them was entered by hand." in page.text(".groups .hint")
    [_computed, row] = page.rows(".cases tbody tr")
    assert row[0] == "2 Case 2 suspected by hand"
    assert row[-1] == "suspicious"
    assert address(assignment, ids, "ada", "cleo") in page.values(".cases th a", "href")
    course = get_page(alice_client, assignment.course.get_absolute_url())
    assert "2 cases" in course.text("main")
    for query, headings in (("cleo", ["Case 2"]), ("case:2", ["Case 2"]), ("ben", ["Case 1"])):
        page_of_query = get_page(alice_client, assignment.get_absolute_url(), q=query)
        assert page_of_query.texts(".cases th a") == headings
    suspected.state = "clear"
    suspected.save()
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.text("#cases-heading").startswith("1 case among")


def test_a_suspicion_by_hand_is_printed_with_its_number_files_and_notes(
    alice_client: Client, assignment: Assignment, ids: dict[str, int], suspected: Decision
) -> None:
    lines = get_page(alice_client, address(assignment, ids, "ada", "cleo"))
    assert "They are case 2, entered by hand." in lines.text(".lead")
    export = reverse("export_pair", args=[assignment.pk, ids["ada"], ids["cleo"]])
    assert export in lines.values(".lead a", "href")
    assert get_page(alice_client, export).text("h1") == "Export: case 2"
    document = page_of(alice_client.get(export, {"format": "html", "names": "open", "decision": "on"}))
    assert document.text("h1") == "Case 2"
    assert "They sat side by side." in document.text("blockquote")
    assert "entered by hand" in document.text("main")
    digests = SubmissionFile.objects.filter(submission__name__in=("ada", "cleo"))
    assert sorted(document.texts("td.hash")) == sorted(digests.values_list("source__sha256", flat=True))
    hidden = alice_client.get(export, {"format": "html", "names": "made-up", "decision": "on"})
    assert not {"ada", "cleo"} & {*page_of(hidden).text("main").casefold().split()}


def test_nobody_sees_a_suspicion_by_hand_behind_a_share_link(
    client: Client, alice: User, assignment: Assignment, suspected: Decision
) -> None:
    page = get_page(client, link_to(shared_report(assignment.reports.get(), alice)))
    assert page.text("#cases-heading").startswith("1 case among")
    assert not page.has(".cases tbody tr:nth-child(2)")


def test_others_are_not_printed(alice_client: Client, assignment: Assignment, ids: dict[str, int]) -> None:
    export = reverse("export_pair", args=[assignment.pk, ids["ada"], ids["cleo"]])
    assert alice_client.get(export).status_code == 404


def test_the_files_that_share_most_are_shown_at_first(
    alice_client: Client, assignment: Assignment, hand_in: HandIn
) -> None:
    own = {"ada/a.py": 8 * HONEST, "ben/a.py": "".join(f"assert {n} not in known, known\n" for n in range(99))}
    hand_in(zipped({"ada/b.py": COPIED, "ben/c.py": RENAMED, **own}))
    ids = dict(Submission.objects.values_list("name", "pk"))
    page = get_page(alice_client, address(assignment, ids, "ada", "ben"))
    assert page.texts("select[name=left] option[selected], select[name=right] option[selected]") == ["b.py", "c.py"]


def test_a_pair_links_to_its_lines(alice_client: Client, assignment: Assignment, ids: dict[str, int]) -> None:
    passages = reverse("pair", args=[assignment.pk, ids["ada"], ids["ben"]])
    lines = address(assignment, ids, "ada", "ben")
    assert get_page(alice_client, passages).has(f'a[href="{lines}"]')
    assert get_page(alice_client, lines).has(f'.lead a[href="{passages}"]')


def test_one_is_compared_by_name(alice_client: Client, assignment: Assignment, ids: dict[str, int]) -> None:
    form = reverse("compare_with", args=[assignment.pk, ids["ada"]])
    response = alice_client.get(form, {"with": "CLEO"})
    assert response.headers["Location"] == address(assignment, ids, "ada", "cleo")
    for text, said in (("e", "2 submissions have this name: ben, cleo."), ("zoe", "No other submission")):
        response = alice_client.get(form, {"with": text}, follow=True)
        assert said in page_of(response).text(".notices")


MEGABYTE = 1_000_000


def functions(seed: int, count: int) -> list[str]:
    random = Random(seed)
    return [
        f"def f{n}(a, b):\n    for k in range({random.randrange(999)}):\n"
        f"        a += b[k] * {random.randrange(999)}\n"
        f"    while a > {random.randrange(999)}:\n        a -= len(b) // {n + 1}\n    return a, b[{n}]\n"
        for n in range(count)
    ]


def interleaved(count: int, seed: int) -> str:
    """Return shared functions, each followed by other code, so that each is a passage of its own."""
    random = Random(seed)
    others = [
        f"x{n} = {'+'.join('abcdefgh'[random.randrange(8)] for _ in range(random.randrange(2, 7)))}\n"
        * (10 + seed * n % 3)
        for n in range(count)
    ]
    return "".join(part for pair in zip(functions(1, count), others, strict=True) for part in pair)


@pytest.fixture
def address_of(hand_in: HandIn) -> Callable[[dict[str, str]], str]:
    """Return a function that hands in two submissions and returns the address of their pair."""

    def address(files: dict[str, str]) -> str:
        pair = Pair.objects.get(report__assignment=hand_in(zipped(files)).assignment)
        return reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])

    return address


def source(page: Page, side: str) -> str:
    """Return the text of a side's source without badges."""
    html = page.html[page.html.index(f'data-side="{side}"') :]
    html = html[: html.index("</section>")]
    half = Page(re.sub(r"<a class=\"badge.*?</a>|<summary>.*?</summary>|<span class=\"cut\".*?</span>", "", html))
    return "".join(node.text() for node in half.all("pre.source"))


def follow(client: Client, address: str, side: str) -> list[Page]:
    """Return the pages from the first part of a side to its last, by its links."""
    pages = [get_page(client, f"{address}?left=1-0&right=1-0")]
    while links := pages[-1].values(f'[data-side="{side}"] .part [rel=next]', "href"):
        pages.append(get_page(client, address + links[0]))
        assert len(pages) < 100
    return pages


def test_the_page_of_two_large_files_has_a_limited_size(
    alice_client: Client, address_of: Callable[[dict[str, str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 2 * pair_view.SIDE_CHARACTERS < 2 * MEGABYTE
    monkeypatch.setattr(pair_view, "SIDE_CHARACTERS", 100_000)
    large = "".join(functions(3, 700))
    address = address_of({"ada/m.py": large, "ben/m.py": large.replace("a", "z")})
    for query in ("", "?passage=99999", "?left=1-40000&right=1-9"):
        response = alice_client.get(address + query)
        assert response.status_code == 200
        assert 200_000 < len(response.content) < 250_000


@pytest.mark.long
def test_all_parts_together_are_the_whole_file(
    alice_client: Client, address_of: Callable[[dict[str, str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_view, "SIDE_CHARACTERS", 30_000)
    text = "".join(functions(3, 200))
    address = address_of({"ada/m.py": text, "ben/m.py": text})
    pages = follow(alice_client, address, "L")
    assert len(pages) > 3
    assert "".join(source(page, "L") for page in pages) == text
    assert all(source(page, "R") == source(pages[0], "R") for page in pages)
    assert not pages[0].has(".part [rel=prev]")
    assert pages[-1].values('[data-side="L"] .part [rel=prev]', "href")
    first_line = pages[1].values('[data-side="L"] .line', "data-n")[0]
    assert pages[1].values('[data-side="L"] article', "data-first") == [first_line]


@pytest.mark.long
def test_every_passage_can_be_reached_and_opens_on_both_sides(
    alice_client: Client, address_of: Callable[[dict[str, str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_view, "SIDE_CHARACTERS", 25_000)
    monkeypatch.setattr(pair_view, "PASSAGES_LISTED", 8)
    address = address_of({"ada/m.py": interleaved(30, 1), "ben/m.py": interleaved(30, 2)})
    page = get_page(alice_client, address)
    (count,) = map(int, page.values("[data-bench]", "data-passages"))
    assert len(Pair.objects.get().passages) >= count > 20
    listed: list[str] = []
    while True:
        listed += page.values(".passages li", "data-passage")
        for link in page.values(".places a", "href"):
            query, _, anchor = link.partition("#")
            opened = get_page(alice_client, address + query) if query else page
            assert opened.has(f'[id="{anchor}"]')
            number = anchor.partition("-p")[2]
            assert opened.has(f'[data-side="L"] mark[data-passage="{number}"]')
            assert opened.has(f'[data-side="R"] mark[data-passage="{number}"]')
        following = page.values(".panel .pages [rel=next]", "href")
        if not following:
            break
        page = get_page(alice_client, address + following[0])
    assert listed == [str(number) for number in range(1, count + 1)]


@pytest.mark.long
def test_an_endless_line_is_cut_with_a_remark_and_goes_on_in_the_next_part(
    alice_client: Client, address_of: Callable[[dict[str, str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "MAX_LINE", 10_000)
    line = ";".join("".join(functions(3, 200)).replace("\n", " ").split("def "))
    address = address_of({"ada/m.js": f"{line}\n{COPIED}", "ben/m.js": line})
    pages = follow(alice_client, address, "L")
    assert len(pages) > 2
    more = len(line) - 10_000
    assert pages[0].texts('[data-side="L"] .cut') == [f"{more:,} more characters of this line are in the next part"]
    assert pages[1].texts('[data-side="L"] .cut')[0] == "10,000 more characters of this line are in the part before"
    assert "".join(source(page, "L").removesuffix("\n") for page in pages[:-1]) in line
    assert COPIED.splitlines()[0] in source(pages[-1], "L")


def test_a_passage_within_an_endless_line_is_shown(
    alice_client: Client, address_of: Callable[[dict[str, str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "MAX_LINE", 10_000)
    line = " ".join(f"{'abcdef'[n % 6]} + {n};" for n in range(4_000))
    shared = " ".join("".join(functions(3, 12)).split())
    address = address_of({"ada/m.js": f"{line} {shared}", "ben/m.js": shared})
    page = get_page(alice_client, address)
    assert page.has('[data-side="L"] mark[data-passage="1"]')
    assert "are in the part before" in page.texts('[data-side="L"] .cut')[0]


def test_of_many_files_the_page_has_some_and_links_to_the_others(
    alice_client: Client, address_of: Callable[[dict[str, str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_view, "FILES_LISTED", 5)
    monkeypatch.setattr(pair_view, "SIDE_CHARACTERS", 40_000)
    text = "".join(functions(3, 40))
    files = {f"ada/m{n:02}.py": text.replace("a", f"a{n}") for n in range(12)}
    address = address_of(files | {"ben/m.py": text})
    paths: set[str] = set()
    queries, seen = [""], set[str]()
    while queries:
        query = queries.pop()
        page = get_page(alice_client, address + query)
        paths |= {heading.split()[0] for heading in page.texts('[data-side="L"] h3')}
        links = set(page.values(".others a", "href")) - seen
        seen |= links
        queries += links
    assert paths == {f"m{n:02}.py" for n in range(12)}


def test_all_files_of_a_side_are_counted_beside_those_that_the_page_has(
    alice_client: Client, address_of: Callable[[dict[str, str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_view, "FILES_LISTED", 5)
    text = "".join(functions(3, 8))
    files = {f"ada/m{n:02}.py": text + f"b{n} = {n}\n" for n in range(12)}
    page = get_page(alice_client, address_of(files | {f"ben/{n}.py": text for n in range(3)}))
    assert len(page.all("select[data-files]")[0].css("option")) == 5
    assert re.fullmatch(r"\d+ of 12 files share code", page.texts(".choice .meta")[0])


def test_all_files_are_counted_where_the_page_has_room_for_one(
    alice_client: Client, address_of: Callable[[dict[str, str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_view, "FILES_LISTED", 1)
    text = "".join(functions(3, 8))
    files = {f"{name}/m{n}.py": text + f"b{n} = {n}\n" for n in range(3) for name in ("ada", "ben")}
    page = get_page(alice_client, address_of(files))
    assert not page.has("select[data-files]")
    assert page.texts(".choice .meta") == ["3 of 3 files share code"] * 2


@pytest.mark.long
def test_nonsense_in_the_address_of_a_pair_is_ignored(
    alice_client: Client, address_of: Callable[[dict[str, str]], str]
) -> None:
    address = address_of({"ada/m.py": COPIED, "ben/m.py": COPIED})
    for query in (
        "passage=0",
        "passage=x",
        "passage=99",
        "left=9-0",
        "left=1-999999",
        "right=-1",
        "left=1-\x00",
    ):
        assert alice_client.get(f"{address}?{query}").status_code == 200


STATIC = ROOT / "submissions" / "static" / "submissions"


VISIONS = ("normal", "protan", "deutan", "tritan")


TEXT_COLOURS = (
    "ink",
    "soft",
    "bad",
    *(f"c-{sort}" for sort in ("keyword", "string", "number", "name")),
)


def schemes() -> dict[str, dict[str, str]]:
    light, dark = ((STATIC / name).read_text().split("/* Ground */")[0] for name in ("moss.css", "dark.css"))
    variables = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part)) for part in (light, dark)]
    return {"light": variables[0], "dark": variables[0] | variables[1]}


SCHEMES = schemes()


def contrast(colour: str, background: str) -> float:
    """Return the contrast ratio of the WCAG."""
    return Color(colour).contrast(background, method="wcag21")


def seen_colour(colour: str, vision: str) -> Color:
    """Return a colour as somebody with this colour vision sees it."""
    return Color(colour) if vision == "normal" else Color(colour).filter(vision, method="machado")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_passages_differ_to_every_eye(scheme: str, vision: str) -> None:
    colours = [seen_colour(SCHEMES[scheme][f"p{n + 1}"], vision) for n in range(COLOURS)]
    smallest = min(first.delta_e(second, method="76") for first, second in combinations(colours, 2))
    assert smallest > 12, smallest  # 2.3 is just noticeable


@pytest.mark.parametrize("scheme", SCHEMES)
def test_code_can_be_read_on_every_passage(scheme: str) -> None:
    colours = SCHEMES[scheme]
    for number in range(1, COLOURS + 1):
        for name in (*TEXT_COLOURS, "c-ignored"):
            assert contrast(colours[name], colours[f"t{number}"]) >= 4.5, (name, number)
            assert contrast(colours[name], colours[f"g{number}"]) >= 4.5, (name, number)
    assert contrast(colours["ink"], colours["common"]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_passages_number_and_edge_stand_out(scheme: str) -> None:
    colours = SCHEMES[scheme]
    for number in range(1, COLOURS + 1):
        assert contrast(colours["on-p"], colours[f"p{number}"]) >= 4.5
        for background in ("card", "page", f"t{number}"):
            assert contrast(colours[f"p{number}"], colours[background]) >= 3

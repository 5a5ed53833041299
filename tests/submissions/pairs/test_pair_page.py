"""The page of a pair: passages, blocks, gaps, flags, remarks and replaced names."""

import re
from collections.abc import Callable
from html import escape

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse

from fingerprint.engine import passage_weight
from fingerprint.ranking.score_constants import RARITY_EXPONENT
from fingerprint.ranking.weights import rarity
from submissions.core.names import redacted_names
from submissions.models import Assignment, Pair, Report
from submissions.pages.filters import percent
from submissions.pairs.file_view import shortest_unique_paths
from submissions.pairs.pair_view import PairView, view_pair
from submissions.pairs.read import Flag
from tests.support.documents import docx, mlx, odt, pdf
from tests.support.html import Page, get_page, page_of
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, STARTER, loose, zipped
from tests.support.uploads import CountQueries, HandIn


def address(pair: Pair) -> str:
    return reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def best(report: Report) -> Pair:
    return report.pairs.all()[0]


def get_pair(client: Client, pair: Pair) -> Page:
    return get_page(client, address(pair))


def newest(pair: Pair) -> Report:
    return Report.objects.filter(assignment=pair.report.assignment_id, state=Report.State.DONE)[0]


def test_both_sources_have_passages_that_lead_across(alice_client: Client, report: Report) -> None:
    pair = best(report)
    page = get_pair(alice_client, pair)
    assert pair.passages
    expected = {
        (f"badge c{(number - 1) % 7 + 1}", f"{side}-p{number}", f"#{other}-p{number}", str(number))
        for number in range(1, len(pair.passages) + 1)
        for side, other in ("LR", "RL")
    }
    badges = [node.attributes for node in page.all(".source a.badge")]
    actual = [(node["class"], node["id"], node["href"], node["data-passage"]) for node in badges]
    assert sorted(actual) == sorted(expected)


def test_no_anchor_is_used_twice(alice_client: Client, report: Report) -> None:
    ids = get_pair(alice_client, best(report)).values("[id]", "id")
    assert len(ids) == len(set(ids))
    assert {"L1", "R1", "L-p1", "R-p1"} <= set(ids)


def pasted(lines: list[str]) -> bytes:
    return f"<html><body><pre>{escape(chr(10).join(lines))}</pre></body></html>".encode()


MATLAB = [
    "function best = spread(values)", "best = values(1); worst = best;", "for k = 2:length(values)",
    "  if values(k) > best", "    best = values(k);", "  elseif values(k) < worst", "    worst = values(k);",
    "  end", "end", "best = best - worst;", "end",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "write", "lines"),
    [("onlinetext.html", pasted, COPIED.splitlines()), ("work.docx", docx, COPIED.splitlines()),
     ("work.odt", odt, COPIED.splitlines()), ("work.pdf", pdf, COPIED.splitlines()),
     ("work.mlx", mlx, MATLAB)],
)  # fmt: skip
def test_the_code_of_pasted_programs_and_of_documents_is_shown_and_marked(
    alice_client: Client, hand_in: HandIn, name: str, write: Callable[[list[str]], bytes], lines: list[str]
) -> None:
    batch = hand_in(zipped({f"{student}/{name}": write([*lines, f"% {student}"]) for student in ("ada", "ben")}))
    page = get_pair(alice_client, Pair.objects.get(report__assignment=batch.assignment))
    for side in "LR":
        shown = "".join(page.texts(f"[data-side={side}] .source"))
        marked = "".join(page.texts(f"[data-side={side}] mark"))
        assert all("".join(line.split()) in "".join(shown.split()) for line in lines)
        assert "".join(lines[3].split()) in "".join(marked.split())


def test_the_header_gives_the_figures_of_the_pair(alice_client: Client, report: Report) -> None:
    pair = best(report)
    figures = get_pair(alice_client, pair).terms(".figures")
    assert figures["Similarity"] == percent(pair.similarity)
    assert figures["Tokens"] == str(pair.tokens)
    assert figures["Lines"] == str(pair.lines)
    assert figures["Longest"] == str(pair.longest)


def test_the_address_of_a_pair_survives_a_new_ranking(
    alice_client: Client, report: Report, starter: Callable[[], None]
) -> None:
    pair = best(report)
    starter()
    assert newest(pair) != report
    assert alice_client.get(address(pair)).status_code == 200


def test_sides_in_the_other_order_lead_to_the_pair(alice_client: Client, report: Report) -> None:
    pair = best(report)
    swapped = reverse("pair", args=[report.assignment_id, pair.right_id, pair.left_id])
    assert alice_client.get(swapped).headers["Location"] == address(pair)


@pytest.mark.long
def test_a_pair_no_longer_ranked_says_so(alice_client: Client, report: Report, hand_in: HandIn) -> None:
    pair = best(report)
    hand_in(zipped({"ada/main.py": HONEST}))
    response = alice_client.get(address(pair))
    assert response.status_code == 404
    assert page_of(response).text("h1") == "Not in the current report"
    for other in (10**9, pair.left_id):
        no_pair = reverse("pair", args=[report.assignment_id, pair.left_id, other])
        assert page_of(alice_client.get(no_pair)).text("h1") == "No such page"


def test_a_pair_is_not_found_under_another_assignment(alice_client: Client, report: Report) -> None:
    pair = best(report)
    other = report.assignment.course.assignments.create(name="Other")
    assert alice_client.get(reverse("pair", args=[other.pk, pair.left_id, pair.right_id])).status_code == 404


def test_several_files_have_headings_a_list_and_a_matrix_to_jump_by(alice_client: Client, hand_in: HandIn) -> None:
    files = {"ada/a.py": STARTER, "ada/b.py": COPIED, "ben/main.py": STARTER + HONEST + COPIED}
    batch = hand_in(zipped(files))
    pair = Pair.objects.get(report__assignment=batch.assignment)
    page = get_pair(alice_client, pair)
    assert page.text(".choice .meta") == "2 of 2 files share code"
    assert page.texts("[data-files] option") == ["b.py · 1 passage", "a.py · 1 passage"]
    assert page.values("[data-files] option", "value") == ["L-f2", "L-f1"]
    assert page.rows(".matrix tbody tr") == [["b.py", "100"], ["a.py", "100"]]
    assert page.values(".matrix td a", "data-passage") == ["1", "2"]
    assert page.text("h3#L-f2").startswith("b.py ")
    assert page.has("#L2-1")
    assert page.text("h3#R-f1").startswith("main.py ")


def test_hostile_sources_are_text(alice_client: Client, hand_in: HandIn) -> None:
    nasty = COPIED + '\ns = "</script><script>alert(1)</script>\u202e\x1b[31m"\nt = "' + "y" * 100_000 + '"\n'
    batch = hand_in(loose("ada.py", nasty), loose("ben.py", COPIED + "\nprint(average([]))\n"))
    pair = Pair.objects.get(report__assignment=batch.assignment)
    page = get_pair(alice_client, pair)
    assert page.inline_code() == []
    source = page.text("[data-side=L] .source")
    assert '"</script><script>alert(1)</script>‹U+202E›‹U+001B›[31m"' in source
    assert page.texts("[data-side=L] .source .unseen") == ["‹U+202E›", "‹U+001B›"]
    assert "\u202e" not in page.html
    assert "\x1b" not in page.html


def test_a_pair_takes_as_many_queries_for_many_files_as_for_one(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    batch = hand_in(zipped({f"{who}/{n}.py": CLASS["ada/main.py"] for who in ("ada", "ben") for n in range(9)}))
    pair_address = address(Pair.objects.get(report__assignment=batch.assignment))
    # 7 of the audit log,
    # session, user, assignment, report, pair, its version, passages, files, ignored, sources, documents,
    # running uploads, boilerplate that is read, a change of the language, its decision, who may decide,
    # groups of identical submissions and findings for its flags, whether the hint was dismissed, statements,
    # its place in the list; for traces lines and terms of the class, lines, terms and statements that were handed
    # out, and the pair's terms
    with django_assert_num_queries(36):
        alice_client.get(pair_address)


@pytest.fixture
def view_of(hand_in: HandIn, assignment: Assignment) -> Callable[..., PairView]:
    """Return a function that hands in the files of two submissions and views their pair."""

    def view(files: dict[str, str | bytes], *hidden: str) -> PairView:
        hand_in(zipped(files))
        return view_pair(Pair.objects.filter(report__assignment=assignment)[0], redacted_names(hidden))

    return view


def notices(view: PairView) -> str:
    return " ".join(view.sides[0].files[0].notices)


def test_an_ordinary_file_has_no_remarks(view_of: Callable[..., PairView]) -> None:
    view = view_of({"ada/m.py": COPIED, "ben/m.py": RENAMED.replace("\n", "\r\n")})
    assert [file.notices for side in view.sides for file in side.files] == [[], []]


def test_characters_that_cannot_be_seen_are_counted_and_named(view_of: Callable[..., PairView]) -> None:
    odd = COPIED + "# \u202eevil\u202c \u200b\u200b \x1b[31m\n"
    assert notices(view_of({"ada/m.py": odd, "ben/m.py": RENAMED})) == (
        "Has 5 invisible or misleading characters, each marked in red: "
        "U+200B ZERO WIDTH SPACE, 2 of them; U+202E RIGHT-TO-LEFT OVERRIDE, 1 of them; "
        "U+202C POP DIRECTIONAL FORMATTING, 1 of them; U+001B control character, 1 of them."
    )


@pytest.mark.long
def test_another_encoding_than_utf_8_is_named(view_of: Callable[..., PairView]) -> None:
    latin = (COPIED + "# caf\xe9 \xe0 la carte, d\xe9j\xe0 vu\n").encode("cp1252")
    view = view_of({"ada/m.py": latin, "ben/m.py": RENAMED})
    assert "Not in UTF-8; read as windows-1252." in notices(view)
    assert "# café à la carte" in Page(view.sides[0].files[0].html).text()


def test_bytes_that_could_not_be_decoded_are_counted(view_of: Callable[..., PairView]) -> None:
    damaged = (COPIED + "# größer, süß, Gruß, ähnlich, öfter\n").encode() + b"# \xff\n"
    assert notices(view_of({"ada/m.py": damaged, "ben/m.py": RENAMED})) == (
        "1 character could not be decoded and is shown as \ufffd."
    )


@pytest.mark.long
def test_the_longest_line_is_named(view_of: Callable[..., PairView]) -> None:
    long, longer = f"s = '{'y' * 5_000}'\n", f"t = '{'z' * 100_000}'\n"
    view = view_of({"ada/m.py": long + COPIED, "ben/m.py": long + RENAMED + longer})
    assert notices(view).startswith("Line 1 has 5,006 characters; click to see those after the first 2,000")
    assert view.sides[1].files[0].notices[0].startswith("The longest of 2 long lines has 100,006 characters")


def test_passages_are_numbered_by_weight_and_know_their_lines(view_of: Callable[..., PairView]) -> None:
    view = view_of({"ada/m.py": STARTER + COPIED, "ben/m.py": COPIED + "x = 1\n" + STARTER, "cleo/m.py": STARTER})
    weights = [passage_weight(passage.tokens, passage.submissions) for passage in view.passages]
    assert weights == sorted(weights, reverse=True)
    assert [passage.number for passage in view.passages] == [1, 2]
    assert [location.first_line for location in view.passages[0].locations] == [7, 2]


def test_a_passage_weighs_as_the_score_weighs_it() -> None:
    for submissions in (1, 2, 3, 10, 180):
        weight = rarity(np.array([submissions]), RARITY_EXPONENT)[0]
        assert passage_weight(100, submissions) == pytest.approx(100 * float(weight))


@pytest.mark.long
def test_the_map_shows_every_passage_and_no_bar_is_invisible(view_of: Callable[..., PairView]) -> None:
    view = view_of({"ada/m.py": "x = 1\n" * 3_000 + COPIED, "ben/m.py": RENAMED + HONEST})
    left, right = (side.files[0] for side in view.sides)
    assert {bar.number for bar in left.bars} >= {passage.number for passage in view.passages}
    assert min(bar.height for bar in left.bars) > left.line_count / 300
    assert right.map_lines == 120
    assert all(0 <= bar.top < file.line_count for file in (left, right) for bar in file.bars)


@pytest.mark.long
def test_names_are_replaced_in_paths_sources_and_examples(view_of: Callable[..., PairView]) -> None:
    ben = f"# written by Ben Okri\nauthor = 'Ben Okri'\n{RENAMED}"
    files = {"ada-lovelace/m.py": f"author = 'x'\n{COPIED}", "ben-okri/ben-okri.py": ben}
    view = view_of(files, "ben-okri")
    file = view.sides[1].files[0]
    assert file.path == "another student.py"
    assert "Okri" not in file.html
    assert Page(file.html).texts("span.made-up") == ["another student"] * 2
    assert "Okri" not in view.sides[0].files[0].html
    examples = [example for passage in view.passages for example in passage.differences.examples]
    assert not any("Okri" in example.right for example in examples)


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        (Flag("identical"), "identical"),
        (Flag("layout"), "identical except layout, comments, punctuation and modifiers"),
        (Flag("names"), "identical except names"),
        (Flag("values"), "identical except names, values and types"),
        (Flag("team"), "same team"),
        (Flag("own", term="2024"), "the same student, 2024"),
        (Flag("model"), "model solution"),
        (Flag("partly", left=True, right=True), "both partly read"),
        (Flag("partly", left=True), "left partly read"),
        (Flag("partly", right=True), "right partly read"),
        (Flag("late", left=True, right=True), "both late"),
        (Flag("late", left=True), "left late"),
        (Flag("late", right=True), "right late"),
    ],
)
def test_a_flag_says_what_is_alike_and_of_which_side_it_is(flag: Flag, words: str) -> None:
    page = Page(render_to_string("submissions/pair/_flags.html", {"pair": Pair(), "flags": [flag]}))
    assert page.texts(f".flag.{flag.kind}") == page.texts(".flag") == [words]


def test_a_pair_across_languages_is_flagged_as_translated_beside_its_other_flags() -> None:
    context = {"pair": Pair(translated=True), "flags": [Flag("team")]}
    page = Page(render_to_string("submissions/pair/_flags.html", context))
    assert page.texts(".flag") == ["translated", "same team"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["main.py"], ["main.py"]),
        (
            ["src/a/Main.java", "src/b/Main.java", "src/b/Util.java"],
            ["a/Main.java", "b/Main.java", "Util.java"],
        ),
        (["Main.java", "test/Main.java"], ["Main.java", "test/Main.java"]),
        (["a/x/m.py", "b/x/m.py", "b/y/m.py"], ["a/x/m.py", "b/x/m.py", "y/m.py"]),
        (["same.py", "same.py"], ["same.py", "same.py"]),
        ([], []),
    ],
)
def test_a_file_is_named_by_the_shortest_unique_end_of_its_path(paths: list[str], names: list[str]) -> None:
    assert shortest_unique_paths(paths) == names


@pytest.mark.long
def test_anonymous_pairs_name_nobody(hand_in: HandIn, assignment: Assignment, alice_client: Client) -> None:
    ben = f"# Ben Okri\n{RENAMED}"
    hand_in(zipped({"ada-lovelace/m.py": COPIED, "ben-okri/src/ben-okri.py": ben}))
    pair = Pair.objects.get(report__assignment=assignment)
    session = alice_client.session
    session["anonymous"] = True
    session.save()
    address = reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id])
    page = page_of(alice_client.get(address, follow=True))
    assert page.texts(".side .made-up")
    assert not re.search("lovelace|okri", page.html, re.IGNORECASE)

"""The page of a case: what it shows, who sees it, and its document."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import combinations, groupby, pairwise
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from hypothesis import given, strategies as st

from fingerprint.engine import Params
from fingerprint.reading import read
from submissions.cases.case_list import cases
from submissions.cases.change import CaseNames, DecisionInput, decide_case
from submissions.cases.members import (
    LABEL_PERCENT,
    MatrixCell,
    MatrixRow,
    TimedMember,
    TimelineMark,
    by_cluster,
    labelled,
)
from submissions.cases.read import case_core
from submissions.models import (
    Assignment,
    CaseDecision,
    CaseMember,
    Change,
    Decision,
    Membership,
    Report,
    Submission,
)
from submissions.pages.rendered import RENDERED
from submissions.reports.change import choose_threshold
from submissions.reports.exports import unlisted_confirmed_count
from submissions.reports.read import PairFilter, ranked_pairs
from submissions.shares.links import share_token
from tests.support.cases import SIMILARITIES, address, case_of, decide, states
from tests.support.checking.findings import contradictions
from tests.support.html import Page, get_page, page_of
from tests.support.programs import program
from tests.support.reports import create_report
from tests.support.sample_class import CLASS, zipped
from tests.support.shares import decided_on, pair_page, shared_pair, shared_report
from tests.support.uploads import CountQueries, HandIn

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
ALL, *PARTS = (program(Random(seed), 4) for seed in (3, 1, 2, 4))
STATED = re.compile(
    "The 2 others have the same part of (\\w+)\u2019s submission: at least ([0-9]+)\u202f% without common code."
)
HTMX = {"HX-Request": "true"}


@pytest.fixture
def report(assignment: Assignment) -> Report:
    """Return a report with a case of Ann, Ben and Cal, and one of Eve and Fay."""
    return create_report(assignment, SIMILARITIES)


def test_the_page_has_members_and_similarities_with_links(alice_client: Client, report: Report) -> None:
    page = get_page(alice_client, address(report, "ann"))
    assert page.text("h1") == "1 Case 1: 3 submissions"
    assert page.texts("main h2")[0] == "Strongest pair"
    assert page.texts(".members tbody th") == ["ann", "ben", "cal"]
    assert page.rows(".matrix tbody tr") == [
        ["1 ann", "·", "90\u202f%", "20\u202f%"],
        ["2 ben", "90\u202f%", "·", "60\u202f%"],
        ["3 cal", "20\u202f%", "60\u202f%", "·"],
    ]
    ann, ben = (report.submissions.get(name=name).pk for name in ("ann", "ben"))
    assert reverse("pair", args=[report.assignment_id, ann, ben]) in page.values(".matrix a", "href")


@given(st.integers(2, 8), st.randoms(use_true_random=False))
def test_the_table_keeps_groups_that_share_more_than_all_others_together(size: int, random: Random) -> None:
    members = [Submission(pk=pk) for pk in range(size)]
    group = [random.randrange(3) for _ in members]
    known = {
        frozenset((a, b)): random.uniform(0.6, 1) if group[a] == group[b] else random.choice((None, 0.3))
        for a, b in combinations(range(size), 2)
    }
    cells = [
        [MatrixCell(other, known.get(frozenset((a, b))), a == b) for b, other in enumerate(members)]
        for a in range(size)
    ]
    ordered = by_cluster([MatrixRow(a + 1, one, None, cells[a]) for a, one in enumerate(members)])
    assert sorted(row.number for row in ordered) == list(range(1, size + 1))
    assert all([cell.other for cell in row.cells] == [one.member for one in ordered] for row in ordered)
    assert [[cell.is_same for cell in row.cells].index(True) for row in ordered] == list(range(size))
    assert len([*groupby(ordered, key=lambda row: group[row.number - 1])]) == len(set(group))


def test_pairs_that_were_confirmed_with_their_case_do_not_lower_the_number_of_unlisted_ones(
    alice_client: Client, report: Report
) -> None:
    decide(alice_client, report, "ann", state="confirmed")
    assert unlisted_confirmed_count(report) == 0
    for left, right in (("ann", "ben"), ("ann", "old"), ("new", "old")):
        Decision.objects.create(assignment=report.assignment, left=left, right=right, state="confirmed")
    assert unlisted_confirmed_count(report) == 2
    assert "2 confirmed pairs are not in the current report" in get_page(
        alice_client, reverse("exports", args=[report.assignment_id])
    ).text("main")


def test_members_are_in_order_of_handing_in_the_first_named(alice_client: Client, report: Report) -> None:
    for name, hours in (("cal", 0), ("ann", 3)):
        Submission.objects.filter(name=name).update(handed_in=NOON + timedelta(hours=hours))
    page = get_page(alice_client, address(report, "ann"))
    assert page.texts(".members tbody th") == ["cal", "ann", "ben"]
    first, second, third = page.texts(".members tbody td:nth-last-child(2)")
    assert first.endswith("first to hand in")
    assert second.endswith("3 h later")
    assert third == ""
    assert "cal handed in first, 3 h before ann." in page.text("main")
    assert page.texts(".timeline title") == ["cal", "ann"]
    assert page.values(".timeline circle", "cx") == ["3.0%", "97.0%"]
    labels = ["1", "2", "2 Mar 2026, 12:00 UTC", "2 Mar 2026, 15:00 UTC"]
    assert page.texts(".timeline text") == labels
    for hours, said, places in (
        (1, "The dashed line is when it was due: 2 Mar 2026, 13:00", ["34.3%"]),
        (-1, "All of these were late: it was due on 2 Mar 2026, 11:00", []),
        (3, "The dashed line is", ["97.0%"]),
        (4, "All of these were in time: it was due on", []),
    ):
        Assignment.objects.update(due=NOON + timedelta(hours=hours))
        page = get_page(alice_client, address(report, "ann"))
        assert said in page.text("main")
        assert page.values(".timeline .due", "x1") == places
    Submission.objects.filter(name="ann").update(handed_in=NOON)
    assert "ann and cal handed in first, at the same time. All" in get_page(alice_client, address(report, "ann")).text(
        "main"
    )


@given(st.lists(st.floats(0, 100), min_size=2, max_size=30).map(sorted))
def test_labels_of_the_timeline_number_every_member_once_and_none_covers_another(places: list[float]) -> None:
    marks = labelled([TimelineMark(TimedMember(Submission(), None), place) for place in places])
    labels = [(mark.place, mark.label) for mark in marks if mark.label]
    assert all(other[0] - one[0] >= LABEL_PERCENT for one, other in pairwise(labels))
    spans = [tuple(map(int, label.split("-"))) for _place, label in labels]
    numbers = [number for span in spans for number in range(span[0], span[-1] + 1)]
    assert numbers == [*range(1, len(places) + 1)]


def test_the_page_says_for_which_pairs_the_decision_holds(alice_client: Client, report: Report) -> None:
    said = "It applies to every pair here from {} on that is not decided separately"
    assert said.format("50\u202f%") in get_page(alice_client, address(report, "ann")).text("main")
    tried = get_page(alice_client, address(report, "ann"), threshold="15")
    assert said.format("15\u202f%") in tried.text("main")
    decide(alice_client, report, "ann", state="confirmed")
    decided = get_page(alice_client, address(report, "ann"), threshold="15")
    assert said.format("50\u202f%") in decided.text("main")
    ann_and_cal = {"confirmed": [0.9, 0.6], "undecided": [0.7, 0.2]}
    similarities = {
        state: [pair.similarity for pair in ranked_pairs(report, PairFilter(decision=state))] for state in ann_and_cal
    }
    assert similarities == ann_and_cal


def test_any_member_leads_to_the_newest_case_and_one_in_no_case_to_the_reason(
    alice_client: Client, assignment: Assignment
) -> None:
    report = create_report(assignment, SIMILARITIES | {("gil", "hal"): 0.1})
    for submission in report.submissions.filter(name__in=["ben", "cal"]):
        other = reverse("case", args=[assignment.pk, submission.pk])
        assert alice_client.get(other).headers["Location"] == address(report, "ann")
    alone = reverse("case", args=[assignment.pk, report.submissions.get(name="gil").pk])
    response = alice_client.get(alone)
    assert response.status_code == 404
    assert page_of(response).text("h1") == "In no case of the current report"
    assert alice_client.get(reverse("case", args=[assignment.pk, 10**6])).status_code == 404
    old = address(report, "eve")
    newer = create_report(assignment, {("eve", "fay"): 0.8})
    assert alice_client.get(old).headers["Location"] == address(newer, "eve")


def test_the_next_undecided_case_is_one_key_away(alice_client: Client, report: Report) -> None:
    first, second = address(report, "ann"), address(report, "eve")
    listed, after = report.assignment.get_absolute_url(), reverse("next_case", args=[report.assignment_id])
    assert get_page(alice_client, listed).text("a[data-key=u]") == "Start with the first"
    assert alice_client.get(after).headers["Location"] == first
    [next_address] = get_page(alice_client, first).values("a.next[data-key=u]", "href")
    assert alice_client.get(next_address).headers["Location"] == second
    decide(alice_client, report, "ann", state="clear")
    assert get_page(alice_client, listed).text("a[data-key=u]") == "Go on with the next"
    decide(alice_client, report, "eve", state="clear")
    page = page_of(alice_client.get(after, follow=True))
    assert page.texts(".notices .notice") == ["2 cases: 2 clear."]
    assert get_page(alice_client, second).text(".of-list") == "2 of 2"
    page = page_of(alice_client.get(next_address, follow=True))
    assert page.texts(".notices .notice") == ["That was the last of the list.", "2 cases: 2 clear."]


def test_members_stand_in_a_table_with_their_best_match_beside_the_matrix_which_two_do_not_have(
    alice_client: Client, hand_in: HandIn
) -> None:
    batch = hand_in(zipped(CLASS | {"dan/main.py": CLASS["ada/main.py"] + "\nprint(average([1]))\n"}))
    report = batch.assignment.reports.get()
    (case,) = (case for case in cases(report, 0.3) if "dan" in case.names)
    page = get_page(alice_client, reverse("case", args=[batch.assignment_id, case.key]), threshold="30")
    best = {row[1]: row[-1].rpartition(", ")[0] for row in page.rows(".members tbody tr")}
    assert (best["ada"], best["dan"]) == ("dan", "ada")
    assert page.has(".members-and-matrix .matrix")
    captions = page.texts(".opened figcaption")
    for caption, figure in zip(captions, page.all(".opened figure"), strict=True):
        name = caption.split()[0]
        lines = (CLASS | {"dan/main.py": CLASS["ada/main.py"]})[f"{name}/main.py"].split("\n")
        shown = [(int(one.attributes["data-n"] or 0), one.text().strip()) for one in figure.css(".numbered")]
        assert shown
        assert all(lines[number - 1].strip() == text for number, text in shown if number <= len(lines))
    at = int(100 * case.similarity)
    [strongest] = cases(report, at / 100)
    two = get_page(alice_client, reverse("case", args=[batch.assignment_id, strongest.key]), threshold=str(at))
    assert len(two.rows(".members tbody tr")) == 2
    assert not two.has(".matrix")


def test_the_only_pair_of_a_case_and_the_case_have_one_decision(alice_client: Client, report: Report) -> None:
    pair = report.pairs.get(left__name="eve", right__name="fay")

    def shown() -> list[str]:
        pages = [get_page(alice_client, where) for where in (pair_page(pair), address(report, "eve"))]
        return [page.values("input[name=state][checked]", "value")[0] for page in pages]

    sent = {"state": "clear", "seen": 0, "decided_on": decided_on(pair)}
    alice_client.post(pair_page(pair) + "decide/", sent)
    assert shown() == ["clear", "clear"]
    seen = Change.objects.latest("pk").pk
    decide(alice_client, report, "eve", state="confirmed", seen=seen)
    assert shown() == ["confirmed", "confirmed"]
    assert not CaseDecision.objects.exists()
    for after in ("", "9" * 5000, "x"):
        step = alice_client.get(reverse("next_case", args=[report.assignment_id]), {"after": after})
        assert step.headers["Location"] == address(report, "ann")
    course = get_page(alice_client, report.assignment.course.get_absolute_url())
    assert "1 undecided" in course.text("main")


def test_other_thresholds_make_cases_exported_as_shown(alice_client: Client, report: Report) -> None:
    page = get_page(alice_client, address(report, "ann"), threshold="80")
    assert page.texts(".members tbody th") == ["ann", "ben"]
    [action] = page.values("#decision-panel form", "action")
    assert action.endswith("decide/?threshold=80")
    page = get_page(alice_client, address(report, "ann", "export_case"), threshold="80")
    [kept] = page.values("form.card input[name=threshold]", "value")
    options = {"names": "open", "decision": "on", "format": "html", "threshold": kept}
    document = page_of(alice_client.get(address(report, "ann", "export_case"), options))
    assert document.texts(".matrix tbody tr td:nth-child(2)") == ["ann", "ben"]
    assert "The pairs below, of at least 80\u202f%, link the members." in document.text("main")


def test_a_shared_case_has_made_up_names_no_times_and_no_decision(
    client: Client, alice_client: Client, alice: User, report: Report
) -> None:
    for name, hours in (("cal", 0), ("ann", 3)):
        Submission.objects.filter(name=name).update(handed_in=NOON + timedelta(hours=hours))
    decide(alice_client, report, "ann", state="confirmed", notes="Hear ann.")
    share = shared_report(report, alice, anonymous=True)
    shared = reverse("shared_case", args=[share_token(share), case_of(report, "ann").key])
    page = get_page(client, shared)
    assert not {"ann", "ben", "cal"} & {*page.texts(".members tbody th")}
    assert page.texts(".members tbody th") == sorted(page.texts(".members tbody th"))
    assert "Hear" not in page.html
    assert not page.has("form:not(.languages), .timeline, a[href^='/assignments/']")
    assert "no-store" in client.get(shared).headers["Cache-Control"]
    of_a_pair = shared_pair(report.pairs.all()[0], alice)
    assert (
        client.get(reverse("shared_case", args=[share_token(of_a_pair), case_of(report, "ann").key])).status_code == 404
    )


def test_several_groups_with_the_same_files_are_one_sentence(
    alice_client: Client, hand_in: HandIn, assignment: Assignment, alice: User
) -> None:
    program, renamed = CLASS["ada/main.py"], CLASS["ben/main.py"]
    sources = {"ada": program, "ben": program, "cal": renamed, "dan": renamed, "eve": CLASS["cleo/main.py"]}
    hand_in(zipped({f"{name}/main.py": source for name, source in sources.items()}))
    choose_threshold(assignment, alice, 50)
    report = assignment.reports.get()
    [case] = [case for case in cases(report) if {"ada", "cal"} <= {*case.names}]
    page = get_page(alice_client, reverse("case", args=[assignment.pk, case.key]))
    assert "In each of 2 groups of them, all handed in the same files." in page.text(".lead")
    assert page.text(".lead").count("handed in the same files") == 1
    assert page.texts(".same") == ["The same files: ada, ben.", "The same files: cal, dan."]
    export = reverse("export_case", args=[assignment.pk, case.key])
    document = page_of(alice_client.get(export, {"names": "open", "format": "html"})).text("main")
    assert "all handed in the same files. Their pairs with others are printed for one of each group only." in document


def test_identical_copiers_are_one_case_which_is_printed_once(alice_client: Client, hand_in: HandIn) -> None:
    same = {f"copier-{number:02}/main.py": CLASS["ada/main.py"] for number in range(12)}
    report = hand_in(zipped(same | {"cleo/main.py": CLASS["cleo/main.py"]})).assignment.reports.get()
    [case] = [case for case in cases(report) if "copier-00" in case.names]
    assert len(case.members) >= 12
    page = get_page(alice_client, reverse("case", args=[report.assignment_id, case.key]))
    assert "12 of them handed in the same files." in page.text(".lead")
    assert len(page.all(".opened pre")) == 2
    export = reverse("export_case", args=[report.assignment_id, case.key])
    assert get_page(alice_client, export).text("h1") == f"Export: case {case.number}"
    options = {"names": "open", "decision": "on", "format": "html"}
    document = page_of(alice_client.get(export, options))
    assert document.text("h1") == f"Case {case.number}"
    assert len(document.all("section.chapter")) == 1 + (len(case.members) > 12)
    assert len(document.all(".matrix tbody tr")) == len(case.members)
    assert "12 of them handed in the same files." in document.text("main")
    pdf = alice_client.get(export, options | {"format": "pdf"})
    assert pdf.content.startswith(b"%PDF")
    student = report.submissions.get(name="copier-05")
    copy = page_of(alice_client.get(export, options | {"names": str(student.pk)}))
    assert "copier-05" in copy.text("main")
    assert not any(f"copier-{number:02}" in copy.html for number in range(12) if number != 5)


def test_a_page_of_a_case_takes_as_many_queries_for_many_members_as_for_few(
    alice_client: Client, report: Report, django_assert_num_queries: CountQueries
) -> None:
    RENDERED.clear()
    few = address(report, "ann")
    with django_assert_num_queries(30):
        get_page(alice_client, few)
    pairs = combinations([f"copy-{n:02}" for n in range(40)], 2)
    many = address(create_report(report.assignment, dict.fromkeys(pairs, 0.9)), "copy-00")
    with django_assert_num_queries(30):
        page = get_page(alice_client, many)
    assert len(page.all(".matrix tbody tr")) == 20
    assert "20 more are in the list above" in page.text("main")


def test_a_teaching_assistant_reads_on_both_pages_what_is_assigned_until_the_rights_end(
    bob_client: Client, bob: User, alice: User, assignment: Assignment
) -> None:
    create_report(assignment, {("ada", "ben"): 0.9, ("cleo", "dora"): 0.8})
    role = Membership.objects.create(course=assignment.course, user=bob, role=Membership.Role.ASSISTANT)
    pages = reverse("courses"), assignment.course.get_absolute_url()
    assert not any(get_page(bob_client, address).has(".assigned") for address in pages)
    for members, others in ((["ada", "ben"], ["cleo", "dora"]), (["cleo", "dora"], ["ada", "ben"])):
        state = "undecided" if "ada" in members else "clear"
        decide_case(assignment, CaseNames(members, others, 0.5), alice, DecisionInput(state, bob, ""))
    for page_address in pages:
        page = get_page(bob_client, page_address)
        assert page.text(".assigned .name") == assignment.name
        assert "1 undecided case" in page.text(".assigned .meta")
        link = page.one(".assigned .name").attributes["href"]
        assert link == f"{reverse('pairs', args=[assignment.pk])}?assignee=bob&q=decided:no"
        assert get_page(bob_client, str(link)).texts("tr.pair .left") == ["ada"]
    role.delete()
    assert not get_page(bob_client, reverse("courses")).has(".assigned")


def kinds(source: str) -> list[int]:
    return [int(kind) for kind in read(source.encode(), "m.py").tokens.kinds]


def kgrams(source: str) -> list[tuple[int, ...]]:
    tokens, k = kinds(source), Params().k
    return [tuple(tokens[at : at + k]) for at in range(len(tokens) - k + 1)]


def covered(source: str, other: str) -> set[int]:
    """Return the tokens of a source that are in a k-gram which the other one has too."""
    there = {*kgrams(other)}
    return {at + n for at, kgram in enumerate(kgrams(source)) if kgram in there for n in range(Params().k)}


@pytest.fixture
def pages_of(alice: User, alice_client: Client, hand_in: HandIn, assignment: Assignment) -> Callable[..., list[Page]]:
    """Return a function that hands in a class, and returns the page and the document of its first case."""

    def pages(**sources: str) -> list[Page]:
        hand_in(zipped({f"{name}/m.py": source for name, source in sources.items()}))
        choose_threshold(assignment, alice, 20)
        report = Report.objects.get(assignment=assignment)
        assert list(contradictions(report)) == []
        key = cases(report)[0].key
        queries = {"case": {}, "export_case": {"format": "html", "names": "open", "decision": "on"}}
        return [
            get_page(alice_client, reverse(name, args=[assignment.pk, key]), **query) for name, query in queries.items()
        ]

    return pages


def test_it_is_code_that_one_member_shares_with_all_others(pages_of: Callable[..., list[Page]]) -> None:
    sources = {name: ALL + part for name, part in zip(("ann", "ben", "cal"), PARTS, strict=False)}
    for page in pages_of(**sources):
        match = STATED.search(page.text())
        assert match, page.text()
        core = sources[match[1]]
        at_most = set.intersection(*(covered(core, other) for name, other in sources.items() if name != match[1]))
        stated, total = int(match[2]), len(kinds(core))
        assert 100 * len(kinds(ALL)) / total - 2 < stated <= 100 * len(at_most) / total


def test_a_case_that_holds_together_by_twos_has_nothing_in_common(pages_of: Callable[..., list[Page]]) -> None:
    first, second, *_ = PARTS
    for page in pages_of(ann=first, ben=first + second, cal=second):
        assert (
            "The passages that ben shares with 2 others have no 12 tokens in a row in common, apart from common code."
            in page.text()
        )


def test_a_line_that_all_wrote_is_no_part_that_all_have(pages_of: Callable[..., list[Page]]) -> None:
    first, second, *_ = PARTS
    line = "total = total + 1\n"
    for page in pages_of(ann=first + line, ben=first + line + second, cal=line + second):
        assert "have no 12 tokens in a row in common" in page.text()


def test_nothing_is_said_of_a_pair(assignment: Assignment) -> None:
    report = create_report(assignment, {("ann", "ben"): 0.9})
    assert case_core(report, list(report.submissions.all())) is None


def test_pairs_of_a_decided_case_follow_it_unless_decided_alone(alice_client: Client, report: Report) -> None:
    ann_ben, ben_cal, ann_cal, eve_fay = ("ann", "ben"), ("ben", "cal"), ("ann", "cal"), ("eve", "fay")
    Decision.objects.create(assignment=report.assignment, left="ben", right="cal", state="clear")
    page = decide(alice_client, report, "ann", state="confirmed", notes="Hear all three.")
    assert page.text(".notices") == "Saved."
    assert page.has("input[name=state][value=confirmed][checked]")
    assert "alice set it from undecided to confirmed." in " ".join(page.texts("#decision-history li"))
    assert "ben and cal, clear" in page.text("main")
    decided = {ann_ben: "confirmed", ben_cal: "clear", eve_fay: "undecided", ann_cal: "undecided"}
    assert states(report) == decided
    table = alice_client.get(reverse("table", args=[report.assignment_id, "pairs", "json"]))
    rows = {(row["left"], row["right"]): row for row in json.loads(table.getvalue())["pairs"]}
    assert rows[ann_ben]["decision"] == "confirmed"
    assert [rows[pair]["case"] for pair in (ann_ben, eve_fay, ann_cal)] == [1, 2, None]
    # It stays decided after a new ranking and without a member.
    again = create_report(report.assignment, {ann_ben: 0.8, ann_cal: 0.1})
    assert case_of(again, "ann").decision.state == "confirmed"
    assert states(again) == {ann_ben: "confirmed", ann_cal: "undecided"}


def test_a_new_member_makes_the_case_undecided_its_pairs_not(alice_client: Client, report: Report) -> None:
    decide(alice_client, report, "ann", state="confirmed", notes="Hear them.")
    again = create_report(report.assignment, {("ann", "ben"): 0.9, ("ben", "cal"): 0.6, ("cal", "dan"): 0.8})
    page = get_page(alice_client, address(again, "ann"))
    assert page.has("input[name=state][value=undecided][checked]")
    assert "dan joined it. Before: confirmed." in page.text(".notice")
    assert page.text("#decision-notes") == "Hear them."
    new = {("cal", "dan"): "undecided"}
    assert states(again) == new | dict.fromkeys((("ann", "ben"), ("ben", "cal")), "confirmed")
    decide(alice_client, again, "ann", state="suspicious", notes="Hear them.", seen=10**9)
    assert set(states(again).values()) == {"suspicious"}
    assert CaseDecision.objects.count() == 1
    assert CaseMember.objects.count() == 4


def test_a_case_that_fell_apart_is_decided_in_its_parts(alice_client: Client, report: Report) -> None:
    joined = create_report(report.assignment, {("ann", "ben"): 0.9, ("ben", "eve"): 0.8, ("eve", "fay"): 0.7})
    decide(alice_client, joined, "ann", state="confirmed")
    parts = create_report(report.assignment, {("ann", "ben"): 0.9, ("eve", "fay"): 0.7})
    assert set(states(parts).values()) == {"confirmed"}
    decide(alice_client, parts, "eve", state="clear")
    assert states(parts) == {("ann", "ben"): "confirmed", ("eve", "fay"): "clear"}
    decide(alice_client, joined := create_report(report.assignment, SIMILARITIES), "ann", state="suspicious")
    assert states(joined)["ann", "ben"] == "suspicious"
    assert states(joined)["eve", "fay"] == "clear"


def test_two_cases_that_grew_together_are_undecided_again(alice_client: Client, report: Report) -> None:
    decide(alice_client, report, "ann", state="confirmed", notes="First.")
    decide(alice_client, report, "eve", state="clear", notes="Second.")
    joined = create_report(report.assignment, SIMILARITIES | {("cal", "eve"): 0.8})
    case = case_of(joined, "ann")
    assert case.decision.state == "undecided"
    assert case.decision.notes == "First.\n\nSecond."
    assert states(joined)["ann", "ben"] == "confirmed"
    assert states(joined)["eve", "fay"] == "clear"
    decide(alice_client, joined, "ann", state="clear", notes=case.decision.notes, seen=10**9)
    assert states(joined)["ann", "ben"] == "clear"
    decision = CaseDecision.objects.get()
    assert decision.notes == "First.\n\nSecond."
    after = [change.after for change in decision.changes.filter(field="state")]
    assert after[::-1] == ["Confirmed", "Clear", "Clear"]


def test_htmx_gets_answer_and_history_unless_members_changed(alice_client: Client, report: Report) -> None:
    sent = {"state": "clear", "seen": 0, "decided_on": case_of(report, "ann").members_key}
    page = page_of(alice_client.post(address(report, "ann", "decide_case"), sent, headers=HTMX))
    assert page.text("[role=status]") == "Saved"
    assert page.has("#decision-history[hx-swap-oob=innerHTML] .history")
    create_report(report.assignment, {("ann", "ben"): 0.9})
    for headers in ({}, HTMX):
        place = address(report, "ann", "decide_case")
        response = alice_client.post(place, sent | {"state": "confirmed"}, headers=headers)
        assert response.status_code == 409
        assert "has other members now" in response.content.decode()
    assert CaseDecision.objects.get().state == "clear"


def test_the_matrix_of_a_class_has_the_cases_first_and_all_stored_pairs(
    alice_client: Client, assignment: Assignment
) -> None:
    create_report(assignment, {(f"s{n:02}", f"s{n + 1:02}"): 0.9 if n == 33 else 0.05 for n in range(34)})
    page = get_page(alice_client, reverse("matrix", args=[assignment.pk]))
    names = [name.split()[-1] for name in page.texts("tbody th")]
    assert len(names) == 30
    assert {"s33", "s34"} <= set(names)
    assert page.all("[data-grid] td a")[0].text()
    assert "Only 30 submissions are shown" in page.text("main")
    assert page.texts("thead th")[1:] == [str(number) for number in range(1, 31)]
    matrix = reverse("matrix", args=[assignment.pk])
    assert get_page(alice_client, assignment.get_absolute_url()).has(f"a[href='{matrix}']")

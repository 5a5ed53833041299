"""The page of an assignment: its report, charts, settings and chosen threshold."""

import json
from datetime import UTC, datetime, timedelta
from importlib.metadata import version

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given, strategies as st
from pytest_django.fixtures import Settings

from fingerprint.engine import SCORE_VERSION
from submissions.cases.case_list import MAX_LINKS, MAX_NODES, case_graph, cases, graph
from submissions.core.names import ANONYMOUS, Names
from submissions.matches.bands import PAIR_BIN, Bands, pair_bins
from submissions.matches.groups import connected_components
from submissions.matches.ranked_pairs import percent_text
from submissions.models import Assignment, Batch, Report, Submission, Visit
from submissions.pages.filters import percent
from submissions.pages.rendered import RENDERED
from submissions.reports.charts import Histogram, duration, histogram
from tests.support.api import api_client
from tests.support.archives import tarred
from tests.support.every_page import PAGES, PUBLIC, World, address_of
from tests.support.html import Page, get_page, page_of
from tests.support.reports import create_report, random_similarities
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.shares import pair_page
from tests.support.tabs import tab
from tests.support.uploads import CountQueries, HandIn

NOTICE = "Not all of an upload was read, so work of students is missing."
# Pages that are about no report: of a course, of settings, of links, of where work comes from.
OTHERS = {
    "courses", "course", "people", "rename_course", "roster", "delete_course", "assignment_settings",
    "delete_assignment", "delete_batch", "shares", "webhooks", "webhook", "repositories", "repository_fetch",
    "batch",
}  # fmt: skip


def get_assignment(client: Client, assignment: Assignment, **query: str) -> Page:
    return get_page(client, assignment.get_absolute_url(), **query)


def get_pairs(client: Client, assignment: Assignment, **query: str) -> Page:
    return get_page(client, tab(assignment, "pairs"), **query)


def listed_pairs(client: Client, assignment: Assignment, **query: str) -> list[tuple[str, str]]:
    """Return the names of both sides of each pair that the page lists."""
    page = get_pairs(client, assignment, **query)
    return list(zip(page.texts("tr.pair .left a"), page.texts("tr.pair .right a"), strict=True))


def class_of(count: int) -> dict[str, str]:
    return {f"student-{n:02}/main.py": list(CLASS.values())[n % 3] for n in range(count)}


def test_without_uploads_files_are_asked_for_in_a_role(alice_client: Client, assignment: Assignment) -> None:
    upload, boilerplate = (reverse(name, args=[assignment.pk]) for name in ("upload", "add_boilerplate"))
    form, page = f'form[action="{upload}"]', get_assignment(alice_client, assignment)
    assert page.text("#upload-heading") == "Upload the submissions"
    assert page.has(f"{form} input[type=file]")
    assert page.text(f'{form} label[for="upload_role"]') == "These are"
    assert page.values(f"{form} select[name=role] option", "value") == ["class", "earlier", "model"]
    refused = alice_client.post(upload)
    assert refused.status_code == 422
    assert page_of(refused).text(f"{form} .error") == "Choose at least one file."
    assert not Batch.objects.exists()
    assert not page_of(alice_client.post(boilerplate)).has(f'form[action="{boilerplate}"] select')


def test_uploading_shows_a_batch(alice_client: Client, assignment: Assignment, eager_tasks: None) -> None:
    sent = {"files": [zipped(CLASS), loose("dan.py", STARTER)]}
    response = alice_client.post(reverse("upload", args=[assignment.pk]), sent)
    batch = Batch.objects.get(assignment=assignment)
    assert response.headers["Location"] == batch.get_absolute_url()
    assert [upload.name for upload in batch.uploads.order_by("pk")] == ["class.zip", "dan.py"]


def test_a_large_upload_is_refused(alice_client: Client, assignment: Assignment, settings: Settings) -> None:
    settings.MAX_UPLOAD_BYTES = 2_000_000
    big = loose("big.py", b"x" * 1_500_000)
    for name in ("upload", "add_boilerplate"):
        big.seek(0)
        address = reverse(name, args=[assignment.pk])
        response = alice_client.post(address, {"files": [big, loose("b.py", b"y" * 600_000)]})
        assert response.status_code == 422
        error = page_of(response).text(f'form[action="{address}"] .error')
        assert error.startswith("One upload may have 2 MB. Send fewer or smaller files at once.")
    assert not Batch.objects.exists()


def test_the_report_ranks_pairs_with_their_figures_and_cases(alice_client: Client, report: Report) -> None:
    best = report.pairs.all()[0]
    assert listed_pairs(alice_client, report.assignment)[0] == ("ada", "ben")
    page = get_pairs(alice_client, report.assignment)
    for side in ("left", "right"):
        assert page.values(f"tr.pair .{side} a", "href")[0] == pair_page(best)
    assert page.texts("tr.pair .similarity")[0] == f"{percent(best.similarity)} stands out"
    assert page.texts("tr.pair .longest[data-label=longest]")[0] == str(best.longest)
    explained = page.terms("dl.meanings")
    assert [*explained] == page.texts("table.pairs thead th")
    assert len(explained) == 11
    assert all(explained.values())
    above = report.pairs.filter(similarity__gte=report.parameters["threshold"]["value"])
    assert len(page.all("td.case a")) == above.count() > 0
    first = min(pk for ids in above.values_list("left", "right") for pk in ids)
    assert reverse("case", args=[report.assignment_id, first]) in page.values("td.case a", "href")


def test_the_report_says_how_it_was_made(alice_client: Client, report: Report) -> None:
    page = get_pairs(alice_client, report.assignment)
    facts = page.terms(".made > .facts")
    assert facts["Compared"] == "3 submissions; 3 pairs share enough to be scored"
    assert facts["Common limit"] == "code in more than 10 submissions; those that are alike count as one"
    details = page.terms(".made > .about:first-of-type > .facts")
    assert details["Passages"] == "9 tokens or more; none of 12 or more is missed (windows of 4)"
    packages = f"moss {version('moss-server')}, Pygments {version('pygments')}"
    assert details["Versions"] == f"{packages}, engine 1, score {SCORE_VERSION}"
    assert details["Front-ends"] == ", ".join(report.parameters["profiles"]) != ""


def test_pairs_are_sorted_and_filtered_by_links(alice_client: Client, report: Report) -> None:
    assignment, best = report.assignment, report.pairs.all()[0]
    assert listed_pairs(alice_client, assignment, sort="left")[0][0] == "ada"
    for query in ({"q": "ben ada"}, {"threshold": str(int(best.similarity * 100))}):
        assert listed_pairs(alice_client, assignment, **query) == [("ada", "ben")]
    page = get_pairs(alice_client, assignment, sort="-tokens", q="ada")
    assert page.values("th.tokens[aria-sort=descending] a", "href") == ["?q=ada&sort=tokens"]
    assert page.has("form#filter[method=get] [name=q]")
    page = get_pairs(alice_client, assignment, q="nobody")
    assert page.texts("#findings .empty p") == [
        "No pair passes this filter.",
        "Not known: nobody",
        "Show all pairs",
    ]
    assert page.values("#findings .empty a", "href") == [tab(assignment, "pairs")]


def test_nonsense_in_the_address_is_ignored(alice_client: Client, report: Report) -> None:
    nonsense = {"sort": "password", "threshold": "-4", "page": "99999", "q": "\x00"}
    for name, value in nonsense.items():
        for address in (report.assignment.get_absolute_url(), tab(report.assignment, "pairs")):
            assert alice_client.get(address, {name: value}).status_code == 200


@pytest.mark.long
def test_long_reports_are_paged_and_keep_the_filter(alice_client: Client, hand_in: HandIn) -> None:
    assignment = hand_in(zipped(class_of(13))).assignment
    first, second = listed_pairs(alice_client, assignment), listed_pairs(alice_client, assignment, page="2")
    assert len(first) == 30
    assert second
    assert not {*first} & {*second}
    page = get_pairs(alice_client, assignment, q="student")
    assert page.values(".pages [rel=next]", "href") == ["?q=student&page=2"]


def test_a_tab_takes_as_many_queries_for_many_pairs_as_for_few(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    expected = {"assignment": 39, "pairs": 31, "students": 16, "ignored": 19, "uploads": 19}
    for work in (CLASS, class_of(13)):
        assignment = hand_in(zipped(work)).assignment
        Visit.objects.all().delete()
        for name, queries in expected.items():
            RENDERED.clear()
            with django_assert_num_queries(queries, info=name):
                alice_client.get(tab(assignment, name))


def test_tabs_have_addresses_and_keep_the_threshold(alice_client: Client, report: Report) -> None:
    names = ("assignment", "pairs", "students", "ignored", "uploads")
    titles = ["Cases", "Pairs", "Students", "Ignored code", "Uploads"]
    for name, title in zip(names, titles, strict=True):
        page = get_page(alice_client, tab(report.assignment, name))
        assert page.texts(".tabs a") == titles
        assert page.values(".tabs a", "href") == [tab(report.assignment, one) for one in names]
        assert page.texts('.tabs a[aria-current="page"]') == [title]
    page = get_pairs(alice_client, report.assignment, threshold="70")
    ends = [link.rpartition("/")[2] for link in page.values(".tabs a", "href")]
    assert ends[:3] == ["?threshold=70", "?threshold=70", ""]
    report.delete()
    for name in names[1:]:
        response = alice_client.get(tab(report.assignment, name))
        assert response.headers["Location"] == report.assignment.get_absolute_url()


@pytest.mark.long
def test_students_have_source_match_and_attempts(alice_client: Client, batch: Batch, hand_in: HandIn) -> None:
    hand_in(zipped({"ada/main.py": CLASS["ada/main.py"] + "\nprint(1)\n"}, name="again.zip"))
    page = get_page(alice_client, tab(batch.assignment, "students"))
    rows = {row[0]: row for row in page.rows(".roll tbody tr")}
    assert rows["ada"][1] == "again.zip"
    assert rows["ada"][2] == "ben"
    assert rows["ada"][4] == "2"
    assert rows["cleo"][1::3] == ["class.zip", "1"]
    assert get_page(alice_client, tab(batch.assignment, "students"), q="CLE").texts(".roll tbody th") == ["cleo"]


def test_a_changed_limit_ranks_again_and_a_new_name_does_not(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    address = reverse("assignment_settings", args=[assignment.pk])
    alice_client.post(address, {"name": "Renamed", "common_limit": ""})
    assert assignment.reports.count() == 1
    alice_client.post(address, {"name": "Renamed", "common_limit": "5"})
    assignment.refresh_from_db()
    assert (assignment.name, assignment.common_limit, assignment.reports.count()) == ("Renamed", 5, 2)


def test_a_newer_report_is_announced_a_failed_one_said(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    polling = f'[hx-get^="{reverse("activity", args=[assignment.pk])}?"]'
    reloading, again = "noscript > meta[http-equiv=refresh]", reverse("rerank", args=[assignment.pk])
    assert not get_assignment(alice_client, assignment).has(reloading)
    alice_client.post(again)
    page = get_assignment(alice_client, assignment)
    assert page.text("#activity .busy .hint") == "Until it is done, the last report is shown."
    assert page.has(polling)
    assert page.has(reloading)
    Report.objects.exclude(pk=report.pk).update(state="failed", message="The database was away.")
    page = get_assignment(alice_client, assignment)
    message = "The last ranking failed. The database was away. The report before it is shown."
    assert page.text("#activity .notice.bad p") == message
    assert page.has(f'#activity form[action="{again}"]')
    assert not page.has(polling)


@pytest.mark.long
def test_a_report_without_similar_pairs_or_of_one_submission_says_so(
    alice_client: Client, hand_in: HandIn, assignment: Assignment
) -> None:
    batch = hand_in(zipped({"ada/main.py": CLASS["ada/main.py"]}))
    page = get_assignment(alice_client, assignment)
    assert page.text("#report-heading") == "Nothing to compare yet"
    lead = page.text("#headline .lead")
    assert lead.startswith("One submission has been read; a report needs at least two.")
    assert not page.has("#filter")
    assert tab(assignment, "uploads") in page.values("#headline a", "href")
    hand_in(zipped({"ben/main.py": "print('hello')\n"}))
    message = get_pairs(alice_client, batch.assignment).text("#findings .empty strong")
    assert message == "No two submissions share enough to be listed."


def test_pages_with_decisions_are_fetched_anew_when_going_back(alice_client: Client, report: Report) -> None:
    assignment, one = report.assignment, report.submissions.all()[0]
    for address in (assignment.get_absolute_url(), reverse("submission", args=[assignment.pk, one.pk])):
        assert "no-store" in alice_client.get(address).headers["Cache-Control"]


def settings_address(assignment: Assignment) -> str:
    return reverse("assignment_settings", args=[assignment.pk])


def fields(**changed: str) -> dict[str, str]:
    return {"name": "Statistics", "common_limit": "", "due": "", "teams": ""} | changed


@pytest.mark.long
@pytest.mark.parametrize("changed", [{"teams": "ada, ben"}, {"compare_mates": "True"}])
def test_teams_and_the_choice_for_their_pairs_rank_again(
    alice_client: Client, report: Report, changed: dict[str, str]
) -> None:
    alice_client.post(settings_address(report.assignment), fields(**changed))
    assert report.assignment.reports.count() == 2


def test_settings_are_kept_before_anything_was_uploaded(alice_client: Client, assignment: Assignment) -> None:
    address, chosen = settings_address(assignment), "#id_compare_mates [selected]"
    assert get_page(alice_client, address).texts(chosen) == ["Do not compare"]
    sent = fields(compare_mates="True", teams="ada, ben", language="java")
    assert "In the teams" not in page_of(alice_client.post(address, sent, follow=True)).html
    assert get_page(alice_client, address).texts(chosen) == ["Compare and flag"]
    assignment.refresh_from_db()
    assert (assignment.teams, assignment.language) == ("ada, ben", "java")


def test_the_due_date_is_saved_without_another_ranking(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    alice_client.post(settings_address(assignment), fields(due="2026-11-21T18:00"))
    assignment.refresh_from_db()
    assert assignment.due is not None
    assert assignment.due.isoformat() == "2026-11-21T18:00:00+00:00"
    assert assignment.reports.count() == 1
    page = get_page(alice_client, settings_address(assignment))
    assert page.values("input[type=datetime-local][name=due]", "value") == ["2026-11-21T18:00"]
    assert "Time zone: UTC." in page.text("#id_due_helptext")


def test_names_in_teams_that_no_submission_has_are_listed(alice_client: Client, report: Report) -> None:
    sent = fields(teams="ada, ben\ncleo, dan\n<b>eve</b>, frank")
    page = page_of(alice_client.post(settings_address(report.assignment), sent, follow=True))
    warning = "In the teams, but no submission's name: dan, <b>eve</b>, frank."
    assert warning in page.texts(".notices .notice")
    assert not page.has(".notices b")


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ({"teams": "ada, ben\ncleo"}, "Line 2 names only cleo; a team has two members or more."),
        ({"teams": "ada, ben\n" * 12_000}, "at most 100000 characters (it has 107999)"),
        ({"teams": "ada, \x00"}, "Null characters are not allowed."),
        ({"due": "tomorrow"}, "Write a date and a time, as in 2026-11-21 18:00."),
        ({"due": "2026-02-30T10:00"}, "Write a date and a time, as in 2026-11-21 18:00."),
        ({"due": "9999-12-31T23:59"}, "Write a year from 1970 to 9998."),
        ({"due": "0001-01-01T00:00"}, "Write a year from 1970 to 9998."),
        ({"common_limit": "1"}, "greater than or equal to 2"),
        ({"name": ""}, "This field is required."),
        ({"language": "klingon"}, "klingon is not one of the available choices."),
    ],
)
def test_invalid_settings_are_refused_with_the_reason_and_not_saved(
    alice_client: Client, report: Report, sent: dict[str, str], reason: str
) -> None:
    response = alice_client.post(settings_address(report.assignment), fields(**sent))
    assert response.status_code == 422
    assert reason in page_of(response).text(".error")
    assignment = Assignment.objects.get(pk=report.assignment_id)
    saved = (assignment.name, assignment.teams, assignment.due, assignment.common_limit)
    assert saved == ("Statistics", "", None, None)
    assert not assignment.language_changes.exists()


JAVA = "class Count { int count(int[] all) { int n = 0; for (int x : all) { n += x; } return n; } }\n"


@pytest.mark.long
def test_a_change_of_the_language_says_first_what_is_read_again(
    alice_client: Client, hand_in: HandIn, assignment: Assignment
) -> None:
    hand_in(zipped(CLASS | {"ada/Count.java": JAVA}))
    address = settings_address(assignment)
    response = alice_client.post(address, fields(language="java", due="2026-11-21T18:00", teams="ada, ben"))
    page = page_of(response)
    assert page.texts(".lost li") == [
        "2 files of 1 upload are read again",
        "1 file can still be read, but is no longer compared",
    ]
    assignment.refresh_from_db()
    assert (assignment.language, assignment.teams, assignment.reports.count()) == ("", "", 1)
    sent = {one.attributes["name"]: one.attributes.get("value") for one in page.all("form.card input[name]")}
    alice_client.post(address, {name: value or "" for name, value in sent.items()})
    assignment.refresh_from_db()
    assert (assignment.language, assignment.teams, str(assignment.due)) == (
        "java", "ada, ben", "2026-11-21 18:00:00+00:00"
    )  # fmt: skip
    change = assignment.language_changes.get()
    assert (change.before, change.after, change.state) == ("", "java", "queued")
    notice = get_page(alice_client, assignment.get_absolute_url()).texts("#activity .notice.busy")[0]
    assert notice.startswith("Read again as Java. Waiting for a worker")
    assert "made before the language was changed" in notice
    assert "that of each file → Java" in get_page(alice_client, address).text("main")


def test_a_failed_change_can_be_tried_again(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    assignment.language_changes.create(after="java", state="failed", message="No room.")
    page = get_page(alice_client, assignment.get_absolute_url())
    assert "The files were not read again after the language was changed. No room." in page.text("#activity")
    alice_client.post(reverse("read_again", args=[assignment.pk]))
    assert [change.state for change in assignment.language_changes.all()] == ["queued", "failed"]


NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def chain(assignment: Assignment) -> Report:
    """Return a report with a chain from Ann to Dan, a pair of Eve and Fay, and Gil below every threshold."""
    similarities = {
        ("ann", "ben"): 0.9,
        ("ben", "cal"): 0.6,
        ("cal", "dan"): 0.8,
        ("eve", "fay"): 0.7,
        ("ann", "gil"): 0.1,
    }
    return create_report(assignment, similarities)


def members(report: Report, threshold: float) -> list[list[str]]:
    return [[member.submission.name for member in case.members] for case in cases(report, threshold)]


def test_pairs_at_the_threshold_make_cases(chain: Report, django_assert_num_queries: CountQueries) -> None:
    assert members(chain, 0.6) == [["ann", "ben", "cal", "dan"], ["eve", "fay"]]
    assert members(chain, 0.61) == [["ann", "ben"], ["cal", "dan"], ["eve", "fay"]]
    assert members(chain, 0.95) == []
    with django_assert_num_queries(4):
        case, _ = found = cases(chain, 0.5)
    assert [submission.name for submission in case.strongest] == ["ann", "ben"]
    assert case.similarity == 0.9
    assert case.mean == pytest.approx((0.9 + 0.6 + 0.8) / 3)
    drawn = graph(found)
    numbers = {submission.name: number for submission, number in drawn.nodes}
    assert numbers == dict.fromkeys(("ann", "ben", "cal", "dan"), 1) | {"eve": 2, "fay": 2}
    assert [link.similarity for link in drawn.links] == [0.9, 0.8, 0.7, 0.6]
    assert (drawn.hidden_nodes, drawn.hidden_links) == (0, 0)
    names = Names({"eve": "Submission 2", "fay": "Submission 1"})
    anonymous = [names.display_name(one.submission.name) for one in cases(chain, 0.7, names)[-1].members]
    assert anonymous == ["Submission 1", "Submission 2"]


def test_members_stand_in_the_order_of_handing_in_and_those_without_a_time_last(chain: Report) -> None:
    for name, hours in (("dan", 0), ("ann", 3), ("cal", 5)):
        Submission.objects.filter(name=name).update(handed_in=NOON + timedelta(hours=hours))
    first_members = cases(chain, 0.5)[0].members
    assert [(member.submission.name, member.later) for member in first_members] == [
        ("dan", timedelta(0)),
        ("ann", timedelta(hours=3)),
        ("cal", timedelta(hours=5)),
        ("ben", None),
    ]


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda ends: ends[0] != ends[1])))
def test_components_are_what_a_walk_along_the_links_reaches(ends: list[tuple[int, int]]) -> None:
    components = connected_components(ends)
    for ids in components:
        reached = {ids[0]}
        for _ in ends:
            reached |= {pk for both in ends if reached & {*both} for pk in both}
        assert set(ids) == reached
    assert sorted(pk for ids in components for pk in ids) == sorted({pk for both in ends for pk in both})
    first_links = [min(n for n, both in enumerate(ends) if {*both} & {*ids}) for ids in components]
    assert first_links == sorted(first_links)


def test_a_graph_of_many_keeps_the_strongest_links_and_says_what_is_left_out(assignment: Assignment) -> None:
    similarities = random_similarities(600) | {(f"x{n:03}", f"x{n + 1:03}"): 0.999 for n in range(20)}
    all_cases = cases(create_report(assignment, similarities), 0.1)
    drawn = graph(all_cases)
    assert len(drawn.nodes) <= MAX_NODES
    assert len(drawn.nodes) + drawn.hidden_nodes == sum(len(case.members) for case in all_cases)
    assert len(drawn.links) + drawn.hidden_links == sum(len(case.links) for case in all_cases)
    names = {submission.name for submission, _ in drawn.nodes}
    assert {f"x{n:03}" for n in range(21)} <= names


def test_a_dense_graph_is_thinned_without_falling_apart(assignment: Assignment) -> None:
    names = [f"copy-{n:02}" for n in range(40)]
    similarities = {(a, b): 0.9 for index, a in enumerate(names) for b in names[index + 1 :]}
    drawn = graph(cases(create_report(assignment, similarities), 0.5))
    assert len(drawn.links) == MAX_LINKS
    assert [len(ids) for ids in connected_components(link[:2] for link in drawn.links)] == [40]


def test_the_histogram_counts_everybody_once_by_the_best_match(chain: Report) -> None:
    chart = histogram(chain)
    assert chart is not None
    assert chart.values == [0.1, 0.7, 0.7, 0.8, 0.8, 0.9, 0.9]
    counts = {column.low: column.submissions for column in chart.bins if column.submissions}
    assert counts == {10: 1, 70: 2, 80: 2, 90: 2}
    thresholds = (0.0, 0.1, 0.11, 0.7, 0.9, 0.91)
    assert [chart.count_from(threshold) for threshold in thresholds] == [7, 7, 6, 6, 2, 0]


@given(st.lists(st.floats(0, 1), max_size=250))
def test_bins_and_counts_at_every_percent_agree_with_counting_by_hand(values: list[float]) -> None:
    chart = Histogram(sorted(values), 0.5, 0.5, "", Bands(0.5, 0.5))
    counts = [sum(value >= percent / 100 for value in values) for percent in range(101)]
    assert chart.counts_from_percent == counts
    assert sum(column.submissions for column in chart.bins) == len(values)
    for column in chart.bins[:-1]:
        inside = [value for value in values if column.low / 100 <= value < column.high / 100]
        assert column.submissions == len(inside)


def test_without_a_script_the_threshold_is_the_filter_s_field(alice_client: Client, chain: Report) -> None:
    address = chain.assignment.get_absolute_url()
    page = get_page(alice_client, address)
    assert page.text("#line-says").startswith("6 of 7 submissions are in a pair of at least 50\u202f%.")
    assert page.texts("[data-at], [data-above]") == ["6", "50\u202f%"]
    assert page.text(".histogram > .hint").startswith("Suggested: 50\u202f%. ")
    assert ["70 to under 75 %", "2"] in page.rows("table.bins tr")
    page = get_page(alice_client, address, threshold="85")
    assert page.text("#line-says").startswith("2 of 7 submissions are in a pair of at least 85\u202f%.")
    assert page.texts("[data-at], [data-above]") == ["2", "85\u202f%"]
    assert page.values('#filter [name="threshold"]', "value") == ["85"]


def test_figures_of_the_graph_have_names_that_a_reader_may_see(alice_client: Client, chain: Report) -> None:
    session = alice_client.session
    session[ANONYMOUS] = True
    session.save()
    page = get_page(alice_client, chain.assignment.get_absolute_url())
    figures = json.loads(page.text('script#graph-data[type="application/json"]'))
    assert len(figures["nodes"]) == 6
    aliases = {node["name"] for node in figures["nodes"]}
    assert not aliases & {"ann", "ben", "cal", "dan", "eve", "fay"}
    assert aliases == set(page.texts("table.cases .members li"))


def test_durations_are_written_in_their_two_largest_units() -> None:
    assert duration(timedelta(seconds=59)) == "less than a minute"
    assert duration(timedelta(minutes=1, seconds=30)) == "1 min"
    assert duration(timedelta(hours=3, minutes=12)) == "3 h 12 min"
    assert duration(timedelta(days=1, minutes=5)) == "1 day"
    assert duration(timedelta(days=2, hours=4, minutes=5)) == "2 days 4 h"


def test_the_histogram_of_pairs_counts_each_pair_once_and_shows_a_single_one_beside_thousands() -> None:
    bins = pair_bins([0.0, 0.049, 0.05, *[0.22] * 4_000, 0.95, 1.0], Bands(0.5, 0.7))
    counts = {(one.low, one.high): one.pairs for one in bins if one.pairs}
    assert counts == {(0, 2): 1, (4, 6): 2, (22, 24): 4_000, (94, 96): 1, (98, 100): 1}
    assert [one.low for one in bins if one.band == "look"] == list(range(50, 70, 2))
    assert [one.low for one in bins if one.band == "stands out"] == list(range(70, 100, 2))
    assert {one.bar for one in bins if not one.pairs} == {0}
    assert min(one.bar for one in bins if one.pairs) >= 3
    assert max(one.bar for one in bins) == 100
    assert pair_bins([], Bands(0.5, 0.5))[0].bar == 0


def test_the_tab_of_pairs_has_a_histogram_with_a_table(chain: Report, alice_client: Client) -> None:
    page = get_page(alice_client, tab(chain.assignment, "pairs"))
    picture = page.one(".pair-histogram svg")
    assert (picture.attributes["role"], bool(picture.attributes["aria-label"])) == ("img", True)
    rows = [[f"{low} to under {low + 2} %", "1"] for low in (10, 60, 70, 80, 90)]
    assert page.rows(".pair-histogram tbody tr") == rows
    assert len(page.all(".pair-histogram rect.above")) == 4


def test_the_page_of_a_case_draws_that_case_alone_and_lists_only_many_beside_it(
    chain: Report, alice_client: Client
) -> None:
    page = get_page(alice_client, reverse("case", args=[chain.assignment_id, cases(chain)[0].key]))
    data = json.loads(page.text("#graph-data"))
    assert sorted(node["name"] for node in data["nodes"]) == ["ann", "ben", "cal", "dan"]
    assert len(data["links"]) == 3
    assert not page.has(".drawn")
    crowd = create_report(
        chain.assignment.course.assignments.create(name="Crowd"), {("s00", f"s{n:02}"): 0.9 for n in range(1, 42)}
    )
    page = get_page(alice_client, reverse("case", args=[crowd.assignment_id, cases(crowd)[0].key]))
    assert page.texts(".drawn li") == [node["name"] for node in json.loads(page.text("#graph-data"))["nodes"]]
    pair = get_page(alice_client, reverse("case", args=[chain.assignment_id, cases(chain)[1].key]))
    assert not pair.has("[data-graph]")


def test_five_hundred_submissions_of_one_case_are_drawn(assignment: Assignment) -> None:
    ring = {(f"s{n:03}", f"s{(n + 1) % 500:03}"): 0.5 + n / 1_000 for n in range(500)}
    (case,) = cases(create_report(assignment, ring))
    drawn = case_graph(case)
    assert (len(drawn.nodes), len(drawn.links), drawn.hidden_nodes, drawn.hidden_links) == (500, 500, 0, 0)


def test_the_page_of_a_case_of_five_hundred_is_small_and_lists_its_members_on_five_pages(
    assignment: Assignment, alice_client: Client
) -> None:
    ring = {(f"s{n:03}", f"s{(n + step) % 500:03}"): 0.9 - n / 1_000 for n in range(500) for step in (1, 2)}
    (case,) = cases(create_report(assignment, ring), 0.3)
    address = reverse("case", args=[assignment.pk, case.key])
    listed: list[list[str]] = []
    for number in range(1, 6):
        answer = alice_client.get(address, {"threshold": "30", "page": str(number)})
        assert len(answer.content) < 300_000
        listed += page_of(answer).rows(".members tbody tr")
    assert [row[0] for row in listed] == [str(number) for number in range(1, 501)]
    assert sorted(row[1] for row in listed) == sorted(case.names)


@pytest.mark.parametrize("percentage", range(0, 101, PAIR_BIN))
def test_a_pair_is_in_the_bin_of_the_percentage_that_its_row_states(percentage: int) -> None:
    [bin_of_pair] = [one for one in pair_bins([percentage / 100], Bands(0.5, 0.5)) if one.pairs]
    assert bin_of_pair.low == min(int(percent_text(percentage / 100)[:-1]), 100 - PAIR_BIN)


def test_the_chart_of_the_cases_names_one_threshold_and_that_of_the_pairs_the_bands_too(
    chain: Report, alice_client: Client
) -> None:
    chain.parameters["threshold"] |= {"look": 0.25, "stands_out": 0.75}
    chain.save()
    bands = "Pairs from 25\u202f% on are to be looked at; those from 75\u202f% on stand out."
    hints = [
        get_page(alice_client, tab(chain.assignment, name)).text(".histogram .hint") for name in ("assignment", "pairs")
    ]
    assert [bands in hint for hint in hints] == [False, True]
    assert hints[0].startswith("Suggested: 50\u202f%.")


@pytest.mark.parametrize(("far", "is_mixed"), [(0.55, False), (0.75, True)])
def test_the_graph_tells_pairs_to_look_at_from_those_that_stand_out(
    chain: Report, alice_client: Client, far: float, *, is_mixed: bool
) -> None:
    chain.parameters["threshold"]["stands_out"] = far
    chain.save()
    case = reverse("case", args=[chain.assignment_id, cases(chain)[0].key])
    for address in (tab(chain.assignment, "assignment"), case):
        page = get_page(alice_client, address)
        assert ("Dashed lines are pairs to look at" in page.text("#graph-hint")) is is_mixed
        assert json.loads(page.text("#graph-data"))["far"] == far


def test_every_page_and_document_of_an_incomplete_report_says_so(world: World, client: Client) -> None:
    client.force_login(world.owner)
    addresses = [address_of(world, name) for name in (*PAGES, *PUBLIC) if name not in OTHERS]
    addresses.append(f"{address_of(world, 'export_pair')}?format=html&names=real")
    assert not [one for one in addresses if NOTICE in client.get(one, follow=True).content.decode()]
    world.report.parameters["incomplete"] = True
    world.report.save()
    assert not [one for one in addresses if NOTICE not in client.get(one, follow=True).content.decode()]


@pytest.mark.parametrize("cut", [0, 1500], ids=["whole", "cut off"])
def test_an_upload_cut_off_is_incomplete_and_its_report(hand_in: HandIn, client: Client, cut: int) -> None:
    data = tarred({name: source.encode() for name, source in CLASS.items()})
    end = data.rstrip(b"\0")
    batch = hand_in(loose("class.tar", end[: len(end) - cut] + (b"" if cut else bytes(10_240))))
    assert batch.state == "done"
    report = Report.objects.get(assignment=batch.assignment, state="done")
    assert batch.incomplete is report.is_incomplete is bool(cut)
    api = api_client(batch.assignment.course.owner)
    assert api.get(f"/api/v1/uploads/{batch.pk}").json()["incomplete"] is bool(cut)
    assert api.get(f"/api/v1/assignments/{batch.assignment_id}/report").json()["incomplete"] is bool(cut)
    client.force_login(batch.assignment.course.owner)
    assert (NOTICE in client.get(batch.get_absolute_url()).content.decode()) is bool(cut)

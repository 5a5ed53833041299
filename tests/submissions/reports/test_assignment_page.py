from importlib.metadata import version

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from fingerprint.engine import SCORE_VERSION
from submissions.models import Assignment, Batch, Report
from submissions.pages.filters import percent
from submissions.pages.rendered import RENDERED
from tests.support.html import Page, get_page, page_of
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.tabs import tab
from tests.support.uploads import CountQueries, HandIn

pytestmark = pytest.mark.services


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


def test_an_assignment_without_uploads_asks_for_one(alice_client: Client, assignment: Assignment) -> None:
    page = get_assignment(alice_client, assignment)
    assert page.text("#upload-heading") == "Upload the submissions"
    assert page.has(f'form[action="{reverse("upload", args=[assignment.pk])}"] input[type=file]')


def test_uploading_makes_a_batch_and_shows_it(
    alice_client: Client, assignment: Assignment, eager_tasks: None
) -> None:
    sent = {"files": [zipped(CLASS), loose("dan.py", STARTER)]}
    response = alice_client.post(reverse("upload", args=[assignment.pk]), sent)
    batch = Batch.objects.get(assignment=assignment)
    assert response.headers["Location"] == batch.get_absolute_url()
    assert [upload.name for upload in batch.uploads.order_by("pk")] == ["class.zip", "dan.py"]


def test_an_upload_without_files_is_refused_on_the_page(alice_client: Client, assignment: Assignment) -> None:
    address = reverse("upload", args=[assignment.pk])
    response = alice_client.post(address)
    assert response.status_code == 422
    assert page_of(response).text(f'form[action="{address}"] .error') == "Choose at least one file."
    assert not Batch.objects.exists()


def test_only_submissions_are_uploaded_in_a_role(alice_client: Client, assignment: Assignment) -> None:
    page = get_page(alice_client, assignment.get_absolute_url())
    form = f'form[action="{reverse("upload", args=[assignment.pk])}"]'
    assert page.text(f'{form} label[for="upload_role"]') == "These are"
    assert page.values(f"{form} select[name=role] option", "value") == ["class", "earlier", "model"]
    refused = alice_client.post(reverse("add_boilerplate", args=[assignment.pk]))
    assert not page_of(refused).has(
        f'form[action="{reverse("add_boilerplate", args=[assignment.pk])}"] select'
    )


def test_an_upload_over_the_limit_is_refused_with_the_limit(
    alice_client: Client, assignment: Assignment, settings: Settings
) -> None:
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


def test_the_report_ranks_the_pairs_with_their_figures(alice_client: Client, report: Report) -> None:
    best = report.pairs.all()[0]
    assert listed_pairs(alice_client, report.assignment)[0] == ("ada", "ben")
    page = get_pairs(alice_client, report.assignment)
    pair_address = reverse("pair", args=[report.assignment_id, best.left_id, best.right_id])
    assert page.values("tr.pair .left a", "href")[0] == pair_address
    assert page.values("tr.pair .right a", "href")[0] == pair_address
    assert page.texts("tr.pair .similarity")[0] == percent(best.similarity)
    assert page.texts("tr.pair .longest[data-label=longest]")[0] == str(best.longest)


def test_the_report_says_how_it_was_made(alice_client: Client, report: Report) -> None:
    page = get_pairs(alice_client, report.assignment)
    facts = page.terms(".made > .facts")
    assert facts["Passages"] == "9 tokens or more; none of 12 or more is missed (windows of 4)"
    assert facts["Compared"] == "3 submissions; 3 pairs share enough to be scored"
    assert facts["Common limit"] == "code in more than 10 submissions; those that are alike count as one"
    details = page.terms(".made > .about:first-of-type > .facts")
    packages = f"moss {version('moss-server')}, Pygments {version('pygments')}"
    assert details["Versions"] == f"{packages}, engine 1, score {SCORE_VERSION}"
    assert details["Front-ends"] == ", ".join(report.parameters["profiles"]) != ""


def test_pairs_are_sorted_and_filtered_by_links_that_need_no_script(
    alice_client: Client, report: Report
) -> None:
    assignment = report.assignment
    assert listed_pairs(alice_client, assignment, sort="left")[0][0] == "ada"
    assert listed_pairs(alice_client, assignment, q="ben ada") == [("ada", "ben")]
    best = report.pairs.all()[0]
    assert listed_pairs(alice_client, assignment, threshold=str(int(best.similarity * 100))) == [
        ("ada", "ben")
    ]
    page = get_pairs(alice_client, assignment, sort="-tokens", q="ada")
    assert page.values("th.tokens[aria-sort=descending] a", "href") == ["?q=ada&sort=tokens"]
    assert page.has("form#filter[method=get] [name=q]")


def test_a_filter_that_lets_nothing_through_offers_the_way_back(alice_client: Client, report: Report) -> None:
    page = get_pairs(alice_client, report.assignment, q="nobody")
    assert page.texts("#findings .empty p") == ["No pair passes this filter.", "Show all pairs"]
    assert page.values("#findings .empty a", "href") == [tab(report.assignment, "pairs")]


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
    expected = {"assignment": 20, "pairs": 26, "students": 15, "ignored": 18, "uploads": 18}
    for work in (CLASS, class_of(13)):
        assignment = hand_in(zipped(work)).assignment
        for name, queries in expected.items():
            RENDERED.clear()
            with django_assert_num_queries(queries, info=name):
                alice_client.get(tab(assignment, name))


def test_the_tabs_have_addresses_and_name_the_present_one(alice_client: Client, report: Report) -> None:
    names = ("assignment", "pairs", "students", "ignored", "uploads")
    titles = ["Cases", "Pairs", "Students", "Ignored code", "Uploads"]
    for name, title in zip(names, titles, strict=True):
        page = get_page(alice_client, tab(report.assignment, name))
        assert page.texts(".tabs a") == titles
        assert page.values(".tabs a", "href") == [tab(report.assignment, one) for one in names]
        assert page.texts('.tabs a[aria-current="page"]') == [title]


def test_the_tabs_keep_the_threshold(alice_client: Client, report: Report) -> None:
    page = get_page(alice_client, tab(report.assignment, "pairs"), threshold="70")
    cases, pairs, students, *_ = page.values(".tabs a", "href")
    assert cases.endswith("?threshold=70")
    assert pairs.endswith("?threshold=70")
    assert students.endswith("/students/")


def test_without_a_report_every_tab_leads_to_the_assignment(
    alice_client: Client, assignment: Assignment
) -> None:
    for name in ("pairs", "students", "ignored", "uploads"):
        response = alice_client.get(tab(assignment, name))
        assert response.headers["Location"] == assignment.get_absolute_url()


def test_every_heading_of_the_pairs_is_explained(alice_client: Client, report: Report) -> None:
    page = get_pairs(alice_client, report.assignment)
    explained = page.values("table.pairs thead :is(a, abbr)", "title")
    assert len(explained) == len(page.all("table.pairs thead th")) == 11
    assert all(explained)


def test_a_pair_that_stands_out_names_its_case_with_a_link(alice_client: Client, report: Report) -> None:
    threshold = report.parameters["threshold"]["value"]
    page = get_pairs(alice_client, report.assignment)
    above = report.pairs.filter(similarity__gte=threshold)
    assert len(page.all("td.case a")) == above.count() > 0
    keys = {pk for ids in above.values_list("left", "right") for pk in ids}
    address = reverse("case", args=[report.assignment_id, min(keys)])
    assert address in page.values("td.case a", "href")


@pytest.mark.long
def test_the_students_have_their_source_best_match_and_attempts(
    alice_client: Client, batch: Batch, hand_in: HandIn
) -> None:
    hand_in(zipped({"ada/main.py": CLASS["ada/main.py"] + "\nprint(1)\n"}, name="again.zip"))
    page = get_page(alice_client, tab(batch.assignment, "students"))
    rows = {row[0]: row for row in page.rows(".roll tbody tr")}
    assert rows["ada"][1] == "again.zip"
    assert rows["ada"][2] == "ben"
    assert rows["ada"][4] == "2"
    assert rows["cleo"][1::3] == ["class.zip", "1"]
    assert get_page(alice_client, tab(batch.assignment, "students"), q="CLE").texts(".roll tbody th") == [
        "cleo"
    ]


def test_a_changed_limit_ranks_again_and_a_new_name_does_not(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    address = reverse("assignment_settings", args=[assignment.pk])
    alice_client.post(address, {"name": "Renamed", "common_limit": ""})
    assert assignment.reports.count() == 1
    alice_client.post(address, {"name": "Renamed", "common_limit": "5"})
    assignment.refresh_from_db()
    assert (assignment.name, assignment.common_limit, assignment.reports.count()) == ("Renamed", 5, 2)


def test_a_newer_report_is_announced_and_the_page_asks_for_it(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    address = reverse("activity", args=[assignment.pk])
    polling, reloading = f'[hx-get^="{address}?"]', "noscript > meta[http-equiv=refresh]"
    page = get_assignment(alice_client, assignment)
    assert not page.has(polling)
    assert not page.has(reloading)
    alice_client.post(reverse("rerank", args=[assignment.pk]))
    page = get_assignment(alice_client, assignment)
    assert page.text("#activity .busy .hint") == "Until it is done, the last report is shown."
    assert page.has(polling)
    assert page.has(reloading)


def test_a_failed_ranking_says_so_and_offers_another(alice_client: Client, report: Report) -> None:
    Report.objects.create(assignment=report.assignment, state="failed", message="The database was away.")
    page = get_assignment(alice_client, report.assignment)
    message = "The last ranking failed. The database was away. The report before it is shown."
    assert page.text("#activity .notice.bad p") == message
    assert page.has(f'#activity form[action="{reverse("rerank", args=[report.assignment_id])}"]')
    assert not page.has('[hx-trigger="every 1s"]')


def test_a_running_upload_is_shown_with_its_progress(alice_client: Client, batch: Batch) -> None:
    Batch.objects.filter(pk=batch.pk).update(state="fingerprinting", documents_total=9, documents_done=4)
    page = get_page(alice_client, reverse("activity", args=[batch.assignment_id]))
    assert page.text(".notice.busy p") == "class.zip · reading 4 of 9 files"
    assert page.has('progress[max="9"][value="4"]')
    assert page.has('[hx-trigger="every 1s"]')


@pytest.mark.long
def test_a_report_without_similar_pairs_says_so(alice_client: Client, hand_in: HandIn) -> None:
    assignment = hand_in(
        zipped({"ada/main.py": CLASS["cleo/main.py"], "ben/main.py": "print('hello')\n"})
    ).assignment
    message = get_pairs(alice_client, assignment).text("#findings .empty strong")
    assert message == "No two submissions share enough to be listed."


@pytest.mark.long
def test_a_report_of_one_submission_says_that_it_takes_two(alice_client: Client, hand_in: HandIn) -> None:
    assignment = hand_in(zipped({"ada/main.py": CLASS["ada/main.py"]})).assignment
    page = get_assignment(alice_client, assignment)
    assert page.text("#report-heading") == "Nothing to compare yet"
    lead = page.text("#headline .lead")
    assert lead.startswith("One submission has been read; a report needs at least two.")
    assert not page.has("#filter")
    assert tab(assignment, "uploads") in page.values("#headline a", "href")


def test_pages_with_decisions_are_fetched_anew_when_going_back(alice_client: Client, report: Report) -> None:
    assignment, one = report.assignment, report.submissions.all()[0]
    for address in (assignment.get_absolute_url(), reverse("submission", args=[assignment.pk, one.pk])):
        assert "no-store" in alice_client.get(address).headers["Cache-Control"]

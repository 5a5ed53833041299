import re

import pytest
from django.contrib.auth.models import User
from django.core.signing import Signer
from django.test import Client
from django.utils import timezone

from submissions.models import Assignment, Pair, Report, Share
from submissions.shares import links as shares
from submissions.uploads.change import create_batch
from tests.support.every_page import PUBLIC, World, addresses
from tests.support.html import Page, get_page, page_of
from tests.support.reports import create_report
from tests.support.sample_class import CLASS, zipped
from tests.support.shares import best, link_to, pair_page, shared_pair, shared_pairs, shared_report
from tests.support.tabs import tab
from tests.support.uploads import Committing, HandIn


@pytest.fixture
def visitor(client: Client) -> Client:
    """Return the client of somebody without an account."""
    return client


def reason_for_the_end(visitor: Client, address: str) -> str:
    """Return what the page of a link says that no longer works; its status must be 410."""
    response = visitor.get(address)
    assert response.status_code == 410
    page = page_of(response)
    assert page.text("h1") == "This link no longer works"
    return page.text("h1 + p")


def other_pair(report: Report) -> Pair:
    """Return a pair of the report that is not its best."""
    return report.pairs.all()[1]


def source_of(page: Page) -> str:
    """Return the sources that a page shows."""
    return "\n".join(page.texts("pre.source"))


BEST = {"HX-Request": "true", "HX-Target": "best-lines"}


def test_the_best_lines_of_a_pair_are_those_of_a_passage_for_whoever_may_read_the_pair(
    alice_client: Client, visitor: Client, bob_client: Client, report: Report, alice: User
) -> None:
    pair, other = best(report), other_pair(report)
    mine = pair_page(pair)
    page = page_of(alice_client.get(mine, headers=BEST))
    assert not page.has("h1")
    assert mine in page.values("a", "href")
    for shown, side in zip(page.all("pre"), (pair.left, pair.right), strict=True):
        source = {line.strip() for line in bytes(side.files.get().source.data).decode().splitlines()}
        lines = {line.strip() for line in shown.text().splitlines()}
        assert 0 < len(lines) <= 6
        assert lines <= source
    assert bob_client.get(mine, headers=BEST).status_code == 404
    hidden = link_to(shared_report(report, alice, anonymous=True), pair.left_id, pair.right_id)
    assert pair.left.name not in page_of(visitor.get(hidden, headers=BEST)).text()
    one = link_to(shared_pair(pair, alice), other.left_id, other.right_id)
    assert visitor.get(one, headers=BEST).status_code == 404


def test_a_visitor_reads_a_shared_report_and_its_pairs_and_nothing_that_changes_or_leads_inside(
    visitor: Client, report: Report, alice: User
) -> None:
    share, pair = shared_report(report, alice), best(report)
    pair_address = link_to(share, pair.left_id, pair.right_id)
    assert pair_address in get_page(visitor, shared_pairs(share)).values("tr.pair a", "href")
    for address in (link_to(share), shared_pairs(share), pair_address):
        page = get_page(visitor, address)
        assert not page.has("form[method=post]:not(.languages)")
        assert "/" not in page.links()
        # Nor in the data of a chart.
        for inside in ("/assignments/", "/courses/", "/batches/", "/boilerplate/", "/accounts/"):
            assert inside not in page.html, inside
        for method in (visitor.post, visitor.put, visitor.delete, visitor.patch):
            assert method(address).status_code == 405
    for address in (link_to(share), pair_address, "/shared/forged/"):
        response = visitor.get(address)
        assert response["Referrer-Policy"] == "no-referrer"
        assert "no-store" in response["Cache-Control"]
        assert "noindex" in response["X-Robots-Tag"]


def test_a_shared_pair_has_one_page_in_either_order(visitor: Client, report: Report, alice: User) -> None:
    share, pair = shared_report(report, alice), best(report)
    one, other = (
        get_page(visitor, link_to(share, *sides))
        for sides in ((pair.left_id, pair.right_id), (pair.right_id, pair.left_id))
    )
    assert "read_numbers" in source_of(one)
    assert one.text("main") == other.text("main")
    response = visitor.get(link_to(share, 2_000_000_001, 2_000_000_002))
    assert response.status_code == 404
    page = page_of(response)
    assert page.text("h1") == "No such pair behind this link"
    assert page.values("main a", "href") == [link_to(share)]


def test_of_the_owners_only_what_was_shared_is_shown(visitor: Client, report: Report, alice: User) -> None:
    report.assignment.decisions.create(
        left="ada", right="ben", notes="to be heard on Monday", assignee=alice, state="confirmed"
    )
    share = shared_report(report, alice)
    pair = best(report)
    for address in (link_to(share), shared_pairs(share), link_to(share, pair.left_id, pair.right_id)):
        page = get_page(visitor, address)
        assert "alice" not in page.html
        assert "Monday" not in page.html
        assert "decided" not in page.html
    assert visitor.get(shared_pairs(share), {"decision": "undecided"}).status_code == 404
    for asked in ("decided:no", "decided:yes ada", "assignee:alice", "team:B"):
        for address in (shared_pairs(share), link_to(share)):
            assert visitor.get(address, {"q": asked}).status_code == 404, asked
            headers = {"HX-Request": "true"}
            assert visitor.get(address, {"q": asked}, headers=headers).status_code == 404, asked


def test_a_shared_pair_shows_that_pair_and_no_other(visitor: Client, report: Report, alice: User) -> None:
    pair, other = best(report), other_pair(report)
    share = shared_pair(pair, alice)
    page = get_page(visitor, link_to(share))
    assert "read_numbers" in source_of(page)
    assert visitor.get(link_to(share, pair.left_id, pair.right_id)).status_code == 200
    refused = visitor.get(link_to(share, other.left_id, other.right_id))
    assert refused.status_code == 404
    assert "cleo" not in page.html + page_of(refused).html


@pytest.mark.parametrize("forge", ["{0}x", "x{0}", "1{0}", "1.abc", "%00", "{1}", "{2}"])
def test_a_forged_link_is_403(forge: str, visitor: Client, report: Report, alice: User) -> None:
    share = shared_report(report, alice)
    token = shares.share_token(share)
    forged = forge.format(token, token.rpartition(".")[0], Signer(sep=".").sign(str(share.pk)))
    for address in (f"/shared/{forged}/", f"/shared/{forged}/pairs/1/2/"):
        response = visitor.get(address)
        assert response.status_code == 403
        assert page_of(response).text("h1") == "This link is not valid"


def test_a_deleted_link_stays_dead_when_its_id_returns(visitor: Client, report: Report, alice: User) -> None:
    ended = shared_report(report, alice)
    address, primary_key = link_to(ended), ended.pk
    ended.delete()
    # As in a database that was put back as it was before the link.
    later = Share.objects.filter(pk=shared_report(report, alice).pk)
    later.update(id=primary_key)
    assert visitor.get(link_to(Share.objects.get(pk=primary_key))).status_code == 200
    assert reason_for_the_end(visitor, address).startswith("What this link led to was deleted")


def test_a_link_that_ended_is_410_and_says_why_and_whom_to_ask(visitor: Client, report: Report, alice: User) -> None:
    revoked = shared_report(report, alice)
    shares.revoke_share(revoked)
    reason = reason_for_the_end(visitor, link_to(revoked))
    assert reason == "This link was revoked. Ask alice for a new one."
    page = page_of(visitor.get(link_to(revoked)))
    assert "alice@example.org" not in page.html
    assert "Statistics" not in page.html
    expired = shares.create_share(report.assignment, alice, timezone.now())
    assert reason_for_the_end(visitor, link_to(expired)).startswith("This link has expired. Ask alice")
    alice.username = "alice@example.org"
    alice.save()
    assert "Ask whoever sent it to you" in reason_for_the_end(visitor, link_to(expired))
    assert "@" not in str(page_of(visitor.get(link_to(expired))).one("main").html)
    of_pair = shared_pair(best(report), alice)
    report.pairs.all().delete()
    assert "not in the newest report" in reason_for_the_end(visitor, link_to(of_pair))
    report.assignment.delete()
    assert "was deleted" in reason_for_the_end(visitor, link_to(of_pair))


@pytest.mark.long
def test_a_link_survives_a_new_ranking(visitor: Client, report: Report, alice: User, hand_in: HandIn) -> None:
    share = shared_pair(best(report), alice)
    hand_in(zipped({"ada/main.py": CLASS["ada/main.py"] + "\nprint('a later line')\n"}, "again.zip"))
    assert "a later line" in source_of(get_page(visitor, link_to(share)))


def test_a_link_reaches_nothing_of_another_assignment(
    visitor: Client, report: Report, alice: User, eager_tasks: None, committing: Committing
) -> None:
    second = Assignment.objects.create(course=report.assignment.course, name="Second")
    with committing(execute=True):
        create_batch(second, alice, [zipped(CLASS)])
    elsewhere = best(second.reports.get(state=Report.State.DONE))
    pair = best(report)
    share = shared_report(report, alice)
    for sides in (
        (elsewhere.left_id, elsewhere.right_id),
        (pair.left_id, elsewhere.right_id),
        (elsewhere.left_id, pair.right_id),
    ):
        assert visitor.get(link_to(share, *sides)).status_code == 404
    assert "Second" not in get_page(visitor, link_to(share)).html
    theirs = shared_report(elsewhere.report, alice)
    assert visitor.get(link_to(theirs, elsewhere.left_id, elsewhere.right_id)).status_code == 200


@pytest.mark.long
def test_a_link_opens_no_page_that_needs_an_account(visitor: Client, world: World) -> None:
    share = shared_report(world.report, world.owner)
    assert visitor.get(link_to(share)).status_code == 200
    for name, address in addresses(world).items():
        if name in {*PUBLIC, "switch_language"}:
            continue
        for response in (visitor.get(address), visitor.post(address)):
            assert response.status_code in {302, 405}, name
            if response.status_code == 302:
                assert response["Location"].startswith("/accounts/login/"), name


def test_an_anonymous_link_names_nobody(visitor: Client, report: Report, alice: User) -> None:
    share = shared_report(report, alice, anonymous=True)
    pair = best(report)
    for address in (link_to(share), shared_pairs(share), link_to(share, pair.left_id, pair.right_id)):
        page = get_page(visitor, address)
        assert "Names are made up." in page.text(".notice.shared")
        assert not re.search(r"\b(ada|ben|cleo)\b", page.html.casefold())


def test_who_expected_pairs_is_told_where_to_look_for_what_was_not_read(
    alice_client: Client, visitor: Client, assignment: Assignment
) -> None:
    report = create_report(assignment, {("ada", "ben"): 0.1})
    report.pairs.all().delete()
    link = shared_pairs(shared_report(report, assignment.course.owner))
    for client, address, place in (
        (alice_client, tab(assignment, "pairs"), "Uploads"),
        (visitor, link, "Ignored code"),
    ):
        assert f"If you expected pairs, see under {place} " in get_page(client, address).text("#findings .empty")

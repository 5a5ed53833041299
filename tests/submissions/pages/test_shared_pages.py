from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.signing import Signer
from django.utils import timezone

from submissions import actions
from submissions.actions import shares
from submissions.models import Assignment, Pair, Report, Share
from tests.support.every_page import PUBLIC, addresses
from tests.support.sample_class import CLASS, zipped
from tests.support.shares import best, link_to, shared_pair, shared_report

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from tests.support.every_page import World
    from tests.support.uploads import Committing, HandIn


@pytest.fixture
def visitor(client: Client) -> Client:
    """Give somebody without an account."""
    return client


def other_pair(report: Report) -> Pair:
    """Give a pair of the report that is not its best."""
    return report.pairs.all()[1]


def test_a_visitor_reads_a_shared_report_and_its_pairs(visitor: Client, report: Report, alice: User) -> None:
    made = shared_report(report, alice)
    pair = best(report)
    page = visitor.get(link_to(made))
    assert page.status_code == 200
    opened = link_to(made, pair.left_id, pair.right_id)
    assert opened in page.content.decode()
    assert b"read_numbers" in visitor.get(opened).content


def test_a_shared_page_is_kept_from_searches_caches_and_other_sites(
    visitor: Client, report: Report, alice: User
) -> None:
    made = shared_report(report, alice)
    pair = best(report)
    for address in (link_to(made), link_to(made, pair.left_id, pair.right_id), "/shared/forged/"):
        answer = visitor.get(address)
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "no-store" in answer["Cache-Control"]
        assert "noindex" in answer["X-Robots-Tag"]


def test_a_shared_page_offers_nothing_that_changes_or_leads_inside(
    visitor: Client, report: Report, alice: User
) -> None:
    made = shared_report(report, alice)
    pair = best(report)
    for address in (link_to(made), link_to(made, pair.left_id, pair.right_id)):
        page = visitor.get(address).content.decode()
        assert 'method="post"' not in page
        for inside in ("/assignments/", "/courses/", "/batches/", "/boilerplate/", "/accounts/", 'href="/"'):
            assert inside not in page, inside


def test_nothing_is_told_of_the_owner_but_what_was_shared(
    visitor: Client, report: Report, alice: User
) -> None:
    report.assignment.decisions.create(
        left="ada", right="ben", notes="to be heard on Monday", assignee=alice, state="confirmed"
    )
    made = shared_report(report, alice)
    pair = best(report)
    for address in (link_to(made), link_to(made, pair.left_id, pair.right_id)):
        page = visitor.get(address).content.decode()
        assert "alice" not in page
        assert "Monday" not in page
        assert "decided" not in page
    assert visitor.get(link_to(made), {"decision": "undecided"}).status_code == 404


def test_a_shared_pair_shows_that_pair_and_no_other(visitor: Client, report: Report, alice: User) -> None:
    pair, other = best(report), other_pair(report)
    made = shared_pair(pair, alice)
    assert b"read_numbers" in visitor.get(link_to(made)).content
    assert visitor.get(link_to(made, pair.left_id, pair.right_id)).status_code == 200
    refused = visitor.get(link_to(made, other.left_id, other.right_id))
    assert refused.status_code == 404
    assert b"cleo" not in visitor.get(link_to(made)).content + refused.content


def test_an_unknown_pair_behind_a_valid_link_is_404(visitor: Client, report: Report, alice: User) -> None:
    made = shared_report(report, alice)
    for sides in ((1, 2), (best(report).right_id, best(report).left_id)):
        answer = visitor.get(link_to(made, *sides))
        assert answer.status_code == 404
        assert link_to(made).encode() in answer.content


@pytest.mark.parametrize("forge", ["{0}x", "x{0}", "1{0}", "1.abc", "%00", "{1}"])
def test_a_forged_link_is_403(forge: str, visitor: Client, report: Report, alice: User) -> None:
    token = shares.share_token(shared_report(report, alice))
    forged = forge.format(token, token.rpartition(".")[0])
    for address in (f"/shared/{forged}/", f"/shared/{forged}/pairs/1/2/"):
        answer = visitor.get(address)
        assert answer.status_code == 403
        assert b"This link is not valid" in answer.content


def test_a_signature_made_for_something_else_is_no_link(visitor: Client, report: Report, alice: User) -> None:
    made = shared_report(report, alice)
    assert visitor.get(f"/shared/{Signer(sep='.').sign(str(made.pk))}/").status_code == 403


def test_a_link_does_not_come_to_life_again_with_its_number(
    visitor: Client, report: Report, alice: User
) -> None:
    ended = shared_report(report, alice)
    address, number = link_to(ended), ended.pk
    ended.delete()
    # As in a database that was put back as it was before the link.
    later = Share.objects.filter(pk=shared_report(report, alice).pk)
    later.update(id=number)
    assert visitor.get(link_to(Share.objects.get(pk=number))).status_code == 200
    answer = visitor.get(address)
    assert answer.status_code == 410
    assert b"What this link led to was deleted" in answer.content


def test_a_revoked_link_is_410_and_says_whom_to_ask(visitor: Client, report: Report, alice: User) -> None:
    made = shared_report(report, alice)
    shares.revoke_share(made)
    answer = visitor.get(link_to(made))
    assert answer.status_code == 410
    assert b"This link was revoked. Ask alice for a new one." in answer.content
    assert b"alice@example.org" not in answer.content
    assert b"Statistics" not in answer.content


def test_an_expired_link_is_410(visitor: Client, report: Report, alice: User) -> None:
    made = shares.create_share(report.assignment, alice, timezone.now())
    answer = visitor.get(link_to(made))
    assert answer.status_code == 410
    assert b"This link has expired. Ask alice" in answer.content


def test_an_account_named_by_its_address_is_not_told(visitor: Client, report: Report, alice: User) -> None:
    alice.username = "alice@example.org"
    alice.save()
    made = shares.create_share(report.assignment, alice, timezone.now())
    page = visitor.get(link_to(made)).content
    assert b"@" not in page.partition(b"<main")[2]
    assert b"Ask whoever sent it to you" in page


def test_a_link_to_a_deleted_assignment_is_410(visitor: Client, report: Report, alice: User) -> None:
    made = shared_report(report, alice)
    address = link_to(made)
    report.assignment.delete()
    answer = visitor.get(address)
    assert answer.status_code == 410
    assert b"was deleted" in answer.content


def test_a_link_to_a_pair_that_is_ranked_no_more_is_410(visitor: Client, report: Report, alice: User) -> None:
    made = shared_pair(best(report), alice)
    report.pairs.all().delete()
    answer = visitor.get(link_to(made))
    assert answer.status_code == 410
    assert b"not in the newest report" in answer.content


def test_a_link_survives_a_new_ranking(visitor: Client, report: Report, alice: User, hand_in: HandIn) -> None:
    made = shared_pair(best(report), alice)
    hand_in(zipped({"ada/main.py": CLASS["ada/main.py"] + "\nprint('a later line')\n"}, "again.zip"))
    answer = visitor.get(link_to(made))
    assert answer.status_code == 200
    assert b"a later line" in answer.content


def test_a_link_reaches_nothing_of_another_assignment(
    visitor: Client,
    report: Report,
    alice: User,
    at_once: None,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    second = Assignment.objects.create(course=report.assignment.course, name="Second")
    with django_capture_on_commit_callbacks(execute=True):
        actions.create_batch(second, alice, [zipped(CLASS)])
    elsewhere = best(second.reports.get(state=Report.State.DONE))
    pair = best(report)
    made = shared_report(report, alice)
    for sides in (
        (elsewhere.left_id, elsewhere.right_id),
        (pair.left_id, elsewhere.right_id),
        (elsewhere.left_id, pair.right_id),
    ):
        assert visitor.get(link_to(made, *sides)).status_code == 404
    assert b"Second" not in visitor.get(link_to(made)).content
    theirs = shared_report(elsewhere.report, alice)
    assert visitor.get(link_to(theirs, elsewhere.left_id, elsewhere.right_id)).status_code == 200


def test_a_link_opens_no_page_that_needs_an_account(visitor: Client, world: World) -> None:
    made = shared_report(world.report, world.owner)
    assert visitor.get(link_to(made)).status_code == 200
    for name, address in addresses(world).items():
        if name in PUBLIC:
            continue
        for answer in (visitor.get(address), visitor.post(address)):
            assert answer.status_code in {302, 405}, name
            if answer.status_code == 302:
                assert answer["Location"].startswith("/accounts/login/"), name


def test_nothing_can_be_sent_to_a_link(visitor: Client, report: Report, alice: User) -> None:
    made = shared_report(report, alice)
    pair = best(report)
    for address in (link_to(made), link_to(made, pair.left_id, pair.right_id)):
        for method in (visitor.post, visitor.put, visitor.delete, visitor.patch):
            assert method(address).status_code == 405


def test_an_anonymous_link_names_nobody(visitor: Client, report: Report, alice: User) -> None:
    made = shared_report(report, alice, anonymous=True)
    pair = best(report)
    for address in (link_to(made), link_to(made, pair.left_id, pair.right_id)):
        page = visitor.get(address).content.decode().casefold()
        assert "names are made up" in page
        for name in ("ada", "ben", "cleo"):
            assert f">{name}" not in page
            assert f"{name}/" not in page

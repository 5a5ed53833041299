"""Pairs of large files: a page has a limited size, and everything can be reached by its links."""

import re
from collections.abc import Callable
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Pair
from submissions.pairs import pair_view, source_view as screen
from tests.support.html import Page, get_page
from tests.support.sample_class import COPIED, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services

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
    half = Page(
        re.sub(r"<a class=\"badge.*?</a>|<summary>.*?</summary>|<span class=\"cut\".*?</span>", "", html)
    )
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
def test_a_badge_whose_other_side_is_not_shown_loads_the_page_with_it(
    alice_client: Client, address_of: Callable[[dict[str, str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_view, "SIDE_CHARACTERS", 25_000)
    address = address_of({"ada/m.py": interleaved(30, 1), "ben/m.py": interleaved(30, 2)})
    page = get_page(alice_client, f"{address}?left=1-0&right=1-4000")
    links = page.values('[data-side="L"] .badge', "href")
    badges = set(page.values('[data-side="R"] .badge', "id"))
    assert any(link.startswith("?passage=") for link in links)
    for link in links:
        query, _, anchor = link.partition("#")
        assert (anchor in badges) == (not query)


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
    assert pages[0].texts('[data-side="L"] .cut') == [
        f"{more:,} more characters of this line are in the next part"
    ]
    assert (
        pages[1].texts('[data-side="L"] .cut')[0]
        == "10,000 more characters of this line are in the part before"
    )
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

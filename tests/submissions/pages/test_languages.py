"""The language of the pages: asked for by the browser or chosen in the footer, and the same page in each."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.translation import ngettext

from fingerprint.engine import choices
from submissions.models import Assignment, Batch, Membership
from submissions.shares import links as shares
from tests.support.every_page import ACCOUNT_PAGES, INVITATIONS, PAGES, PUBLIC, STAFF_PAGES, World, address_of
from tests.support.html import SPACES, Page, get_page, page_of
from tests.support.long_rows import rest_is_long
from tests.support.paths import ROOT
from tests.support.translations import LANGUAGES, catalogue

# Attributes that people read or hear; every other one is the same in all languages.
READ = {
    "title",
    "aria-label",
    "placeholder",
    "alt",
    "data-label",
    "data-before",
    "data-more",
    "data-less",
    "lang",
}
# What differs between two requests for one page: tokens, the version of a fragment, and the button pressed.
OF_A_REQUEST = 'input[name="csrfmiddlewaretoken"], body, .languages button, .service'
# Names of the sample class, made-up names, versions and dates, and words of all languages.
DATA = re.compile(
    r"([\d ]*[a-z]+-[a-z-]+ ?)+|([\d ]*[A-Z][a-z]+ [A-Z][a-z]+(, | |$))+|\d+\xa0bytes"
    r"|\w+\.(zip|py|java)|\S+@\S+|https?://\S*|\w+\.\d\S*, .*|moss \d.*|link \d+"
    r"|\d\d? \w{3} \d{4}\b.*|Programming 1( · Statistics)?|Statistics|Anna|alice|admin|tess|roster|heavy"
    r"|interactive|moss|English|Deutsch|Español|JSON Lines|CSV|PDF|Esc"
)
# What comes from uploads.
CODE = "pre, pre *, code, .path, script"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}")
WORDS = re.compile(r"[A-Za-z]{2,}.*\W[A-Za-z]{2,}|[A-Za-z]{6,}")


def page_in(client: Client, address: str, language: str) -> Page:
    client.cookies["language"] = language
    return get_page(client, address)


def asked(client: Client, address: str, accepts: str) -> str | None:
    """Return the language of the page for a browser that accepts these languages."""
    return page_of(client.get(address, headers={"accept-language": accepts})).one("html").attributes["lang"]


def untranslated(language: str) -> dict[re.Pattern[str], str]:
    """Return patterns of the English texts that the language has in other words, in every context."""
    entries = [entry for entry in catalogue(language) if not entry.msgid_plural and "<" not in entry.msgid]
    same = {entry.msgid for entry in entries if entry.msgstr == entry.msgid}
    changed = [entry.msgid for entry in entries if entry.msgid not in same]
    parts = {text: PLACEHOLDER.split(text.replace("%%", "%")) for text in changed}
    return {
        re.compile(".+".join(map(re.escape, pieces))): text
        for text, pieces in parts.items()
        if WORDS.search(" ".join(pieces))
    }


def innermost_texts(page: Page) -> set[str]:
    """Return the texts of the elements that have no others in them, except of code."""
    code = {node.mem_id for node in page.all(CODE)}
    nodes = [node for node in page.all("body *") if node.mem_id not in code and not node.css("*")[1:]]
    return {SPACES.sub(" ", node.text(deep=True)).strip() for node in nodes} - {""}


def unchanged(english: Page, other: Page, language: str) -> set[str]:
    """Return texts that are the same in another language, though its catalogue has none like them."""
    same = {entry.msgstr for entry in catalogue(language)}
    same |= {text for entry in catalogue(language) for text in entry.msgstr_plural.values()}
    called = {title for _, title in choices()}
    both = (innermost_texts(english) & innermost_texts(other)) - same - called
    patterns = [re.compile(".+".join(map(re.escape, PLACEHOLDER.split(text)))) for text in same]
    return {
        text
        for text in both
        if re.search("[A-Za-z]{2}", text)
        and not all(DATA.fullmatch(word) for word in text.split("; "))
        and not any(pattern.fullmatch(text) for pattern in patterns)
    }


@pytest.mark.parametrize(
    ("accepts", "language"),
    [("de-AT,de;q=0.9", "de"), ("fr,es;q=0.5", "es"), ("fr", "en"), ("", "en"), (";;q=x,<b>", "en")],
)
def test_a_page_has_the_language_that_the_browser_asks_for(
    accepts: str, language: str, client: Client, alice_client: Client
) -> None:
    assert asked(client, reverse("login"), accepts) == language
    assert asked(alice_client, reverse("courses"), accepts) == language


def test_a_chosen_language_is_stronger_until_it_is_given_up(alice_client: Client) -> None:
    courses, switch = reverse("courses"), reverse("switch_language")
    response = alice_client.post(switch, {"language": "de", "next": courses})
    assert (response.status_code, response.headers["Location"]) == (302, courses)
    cookie = response.cookies["language"]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 31_536_000)
    assert asked(alice_client, courses, "es") == "de"
    page = get_page(alice_client, courses)
    assert (page.text("h1"), page.text(".languages [aria-pressed=true]")) == ("Kurse", "Deutsch")
    assert page.values(".languages button[lang]", "lang") == ["en", "de", "es"]
    alice_client.post(switch, {"language": "browser", "next": courses})
    assert asked(alice_client, courses, "es") == "es"


def test_a_reader_without_an_account_chooses_too(world: World, client: Client) -> None:
    shared = reverse("shared", args=[shares.share_token(world.share)])
    form = get_page(client, shared).one(".languages")
    data = {node.attributes["name"]: node.attributes["value"] for node in form.css("input[name=next]")}
    response = client.post(reverse("switch_language"), {**data, "language": "de"})
    assert response.headers["Location"] == shared
    assert get_page(client, shared).one("html").attributes["lang"] == "de"
    assert get_page(client, reverse("login")).text("h1") == "Anmelden"


@pytest.mark.django_db
@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "", "courses"])
def test_the_switch_leads_to_no_other_site_and_a_made_up_language_counts_as_none(
    elsewhere: str, client: Client
) -> None:
    response = client.post(reverse("switch_language"), {"language": "x; y", "next": elsewhere})
    assert response.headers["Location"] == reverse("courses")
    client.cookies["language"] = 'fr"><script>'
    page = get_page(client, reverse("login"))
    assert page.one("html").attributes["lang"] == "en"
    assert page.text(".languages [aria-pressed=true]") == "As the browser"


@pytest.mark.long
def test_no_cache_gives_a_page_to_a_browser_of_another_language(
    world: World, alice_client: Client, client: Client
) -> None:
    addresses = [address_of(world, name) for name in ("assignment", "activity", "shared")]
    for visitor in (alice_client, client):
        for one in [*addresses, reverse("login"), "/missing"]:
            varies = visitor.get(one).headers["Vary"].split(", ")
            assert {"Accept-Language", "Cookie"} <= set(varies)
            assert len(varies) == len(set(varies))


def test_parts_of_a_page_that_are_kept_are_kept_for_each_language(world: World, alice_client: Client) -> None:
    pair = address_of(world, "pair")
    headings = [page_in(alice_client, pair, language).text(".panel h2") for language in ("en", "de", "en")]
    assert headings[0] == headings[2] != headings[1]
    assert "Stelle" in headings[1]


def test_an_error_page_has_the_language_of_its_request(alice_client: Client, client: Client) -> None:
    client.cookies["language"] = alice_client.cookies["language"] = "de"
    for visitor in (alice_client, client):
        page = page_of(visitor.get("/missing"))
        assert (page.one("html").attributes["lang"], page.text("h1")) == ("de", "Diese Seite gibt es nicht")


@pytest.mark.parametrize(
    ("language", "texts"),
    [("de", ["0 Paare", "1 Paar", "2 Paare"]), ("es", ["0 pares", "1 par", "2 pares"])],
)
def test_one_and_several_have_their_own_forms(language: str, texts: list[str]) -> None:
    with translation.override(language):
        assert [ngettext("%(n)s pair", "%(n)s pairs", n) % {"n": n} for n in (0, 1, 2)] == texts


@pytest.mark.parametrize(
    ("language", "labels"),
    [
        ("en", ["person", "assignment", "submission", "people", "assignments", "submissions"]),
        ("de", ["Person", "Aufgabe", "Abgabe", "Personen", "Aufgaben", "Abgaben"]),
        ("es", ["persona", "tarea", "entrega", "personas", "tareas", "entregas"]),
    ],
)
def test_a_figure_of_a_narrow_table_is_labelled_as_one_or_as_several(
    admin_client: Client, assignment: Assignment, bob: User, language: str, labels: list[str]
) -> None:
    batch = Batch.objects.create(assignment=assignment, name="class.zip", state="done")
    batch.submissions.create(name="ada")
    page = page_in(admin_client, reverse("department"), language)
    assert page.values(".number[data-label]", "data-label") == labels[:3]
    Membership.objects.create(course=assignment.course, user=bob, role="assistant")
    Assignment.objects.create(course=assignment.course, name="second")
    batch.submissions.create(name="grace")
    page = page_in(admin_client, reverse("department"), language)
    assert page.texts(".number[data-label]") == ["2", "2", "2"]
    assert page.values(".number[data-label]", "data-label") == labels[3:]


def test_no_label_of_a_figure_is_the_same_for_one_and_for_several() -> None:
    """Those that follow a count on a narrow page, not those that come before it on paper."""
    names = "lines tokens messages processes attempts people assignments submissions pairs decisions cases"
    counts = set(names.split())
    for path in (ROOT / "templates").rglob("*.html"):
        labels = re.findall(r'data-label="{% translate "([^"]+)"', path.read_text())
        assert not [label for label in labels if label in counts], path


@pytest.mark.long
@pytest.mark.parametrize("language", rest_is_long(LANGUAGES))
def test_every_page_is_the_same_in_another_language_but_for_its_texts(
    language: str, world: World, alice_client: Client, admin_client: Client, subtests: pytest.Subtests
) -> None:
    english, translated = untranslated(language), set[str]()
    for name in (*PAGES, *ACCOUNT_PAGES, *INVITATIONS, *PUBLIC, *STAFF_PAGES):
        with subtests.test(name):
            visitor = admin_client if name in STAFF_PAGES else alice_client
            first, second = (page_in(visitor, address_of(world, name), one) for one in ("en", language))
            assert second.one("html").attributes["lang"] == language
            assert _elements(first) == _elements(second)
            assert unchanged(first, second, language) == set()
            texts = innermost_texts(second) - translated
            left = [
                (text, english[pattern]) for text in texts for pattern in english if pattern.fullmatch(text)
            ]
            assert not left, f"not translated: {left}"
            translated |= texts


def _elements(page: Page) -> list[tuple[str, dict[str, str | None]]]:
    """Return every element with the attributes that are no texts; numbers in them have a point."""
    of_a_request = {node.mem_id for node in page.all(OF_A_REQUEST)}
    nodes = [node for node in page.all("*") if node.mem_id not in of_a_request]
    return [
        (str(node.tag), {name: value for name, value in node.attributes.items() if name not in READ})
        for node in nodes
    ]

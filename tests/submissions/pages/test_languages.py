"""The language and the appearance of the pages, and every English text that they translate."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest
from django import forms
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import ngettext

from fingerprint.engine import choices
from fingerprint.ranking.threshold import estimate_unrelated, suggest_threshold
from fingerprint.reading import Unreadable
from submissions.cases.models import State
from submissions.intake import sentences as reasons
from submissions.intake.choices import GroupedSubmission
from submissions.intake.entries import clean_path
from submissions.intake.grouping import group_files
from submissions.intake.layouts.places import Student
from submissions.intake.layouts.registry import LAYOUTS
from submissions.intake.left_out.rules import REASONS
from submissions.intake.members import CommitLog
from submissions.intake.rosters import RosterRefused, parse_roster
from submissions.intake.sentences import SENTENCES
from submissions.intake.warnings import ReadFile, languages_read, reading_warnings, roster_warnings
from submissions.models import Assignment, Batch, DismissedHint, Membership
from submissions.pages.filters import field_word, state_word
from submissions.pages.language import (
    PLACE,
    STAGES,
    fixed_text,
    languages_text,
    roster_problem,
    threshold_reason,
    warning_text,
)
from submissions.reports import progress, results as rank, shards as prepared
from submissions.reports.charts import duration, language_or_each, ordinal
from submissions.shares import links as shares
from submissions.work.jobs import GAVE_UP
from submissions.work.kinds import BROKEN, OUT_OF_TIME
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.submissions.intake.layouts.test_layouts import listing_of
from tests.support.every_page import ACCOUNT_PAGES, INVITATIONS, PAGES, PUBLIC, STAFF_PAGES, World, address_of
from tests.support.html import SPACES, Page, get_page, page_of, text_of
from tests.support.long_rows import rest_is_long
from tests.support.paths import ROOT
from tests.support.translations import LANGUAGES, catalogue

READ = {
    "title", "aria-label", "placeholder", "alt", "data-label", "data-before", "data-more", "data-less",
    "data-start", "data-stop", "lang",
}  # fmt: skip


# What differs between two requests for one page: tokens, the version of a fragment, and the button pressed.
OF_A_REQUEST = 'input[name="csrfmiddlewaretoken"], body, .languages button, .service'


# Names of the sample class, made-up names, versions and dates, and words of all languages.
DATA = re.compile(
    r"([\d ]*[a-z]+-[a-z-]+ ?)+|([\d ]*[A-Z][a-z]+ [A-Z][a-z]+(, | |$))+|\d+\xa0bytes"
    r"|\w+\.(zip|py|java)|\S+@\S+|https?://\S*|\w+\.\d\S*, .*|moss \d.*|link \d+"
    r"|\d\d? \w{3} \d{4}\b.*|Programming 1( · Statistics)?|Statistics|Anna|alice|admin|tess|roster|heavy"
    r"|interactive(, heavy)?|pid \d+ · moss \d.*|moss|English|Deutsch|Español|JSON Lines|CSV|PDF|Esc"
)


# What comes from uploads.
CODE = "pre, pre *, code, code *, .path, script"


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


def test_a_reader_without_an_account_chooses_too(world: World, alice_client: Client, client: Client) -> None:
    shared = reverse("shared", args=[shares.share_token(world.share)])
    form = get_page(client, shared).one(".languages")
    data = {node.attributes["name"]: node.attributes["value"] for node in form.css("input[name=next]")}
    response = client.post(reverse("switch_language"), {**data, "language": "de"})
    assert response.headers["Location"] == shared
    assert get_page(client, shared).one("html").attributes["lang"] == "de"
    assert get_page(client, reverse("login")).text("h1") == "Anmelden"
    alice_client.cookies["language"] = "de"
    for visitor in (alice_client, client):
        page = page_of(visitor.get("/missing"))
        assert (page.one("html").attributes["lang"], page.text("h1")) == ("de", "Diese Seite gibt es nicht")


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "", "courses"])
def test_a_switch_leads_to_no_other_site_and_a_made_up_language_or_theme_counts_as_none(
    elsewhere: str, client: Client, alice_client: Client
) -> None:
    for name in ("language", "theme"):
        response = alice_client.post(reverse(f"switch_{name}"), {name: "x; y", "next": elsewhere})
        assert response.headers["Location"] == reverse("courses")
    client.cookies["language"] = 'fr"><script>'
    page = get_page(client, reverse("login"))
    assert page.one("html").attributes["lang"] == "en"
    assert page.text(".languages [aria-pressed=true]") == "As the browser"
    alice_client.cookies["theme"] = 'blue"><script>'
    assert scheme(alice_client, reverse("courses"))[0] == ["light dark"]


@pytest.mark.long
def test_no_cache_mixes_pages_of_languages(world: World, alice_client: Client, client: Client) -> None:
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


@pytest.mark.parametrize(
    ("language", "texts"), [("de", ["0 Paare", "1 Paar", "2 Paare"]), ("es", ["0 pares", "1 par", "2 pares"])]
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
            assert [*called_otherwise(first), *called_otherwise(second)] == []
            texts = innermost_texts(second) - translated
            left = [(text, english[pattern]) for text in texts for pattern in english if pattern.fullmatch(text)]
            assert not left, f"not translated: {left}"
            translated |= texts


def called_otherwise(page: Page) -> list[str]:
    """Return the names of the controls that do not have the text shown: who speaks to a computer says that."""
    controls = page.all("button[aria-label], a[aria-label], summary[aria-label]")
    named = [(node.attributes["aria-label"] or "", text_of(node)) for node in controls if not node.css("[aria-hidden]")]
    return [name for name, text in named if text.casefold() not in SPACES.sub(" ", name).casefold()]


def _elements(page: Page) -> list[tuple[str, dict[str, str | None]]]:
    """Return every element with the attributes that are no texts; numbers in them have a point."""
    of_a_request = {node.mem_id for node in page.all(OF_A_REQUEST)}
    nodes = [node for node in page.all("*") if node.mem_id not in of_a_request]
    return [
        (str(node.tag), {name: value for name, value in node.attributes.items() if name not in READ}) for node in nodes
    ]


def test_every_label_and_reason_is_translated_and_every_stage_is_one_of_a_ranking() -> None:
    texts = [*(layout.label for layout in LAYOUTS.values()), *REASONS.values()]
    for language in ("de", "es"):
        with translation.override(language):
            assert [text for text in texts if fixed_text(text) == text] == []
    source = "".join(map(inspect.getsource, (rank, prepared, progress)))
    assert [stage for stage in STAGES if f'"{stage}"' not in source] == []


def test_a_known_text_is_translated_and_another_one_and_names_stay() -> None:
    kept = reasons.UNREAD_LINES.format(reason=reasons.TIMES_KEPT, n=3)
    why = reasons.METADATA_TOO_SLOW.format(n=2)
    limit = reasons.METADATA_UNREAD.format(reason=reasons.GRADESCOPE_LIST, why=why)
    stay = (
        "late.zip is truncated.",
        f"{reasons.EMPTY_FILE} handed",
        "a name: of a student",
        "a text that nobody knows",
    )
    with translation.override("de"):
        assert fixed_text("a Moodle export") == "Moodle-Export"
        assert fixed_text("Comparing 1,234 submissions with each other").startswith("1,234 Abgaben")
        assert [fixed_text(text) for text in stay] == [*stay]
        assert "Ada {name} Byron" in fixed_text("an earlier attempt of Ada {name} Byron")
        assert fixed_text(kept) == "nur die Zeiten der Commits werden behalten; nicht lesbare Zeilen: 3"
        assert fixed_text(limit).endswith("von Gradescope; nicht gelesen: es zu lesen dauerte länger als 2 s")
        assert threshold_reason("estimated by hand") == "estimated by hand"


@pytest.mark.parametrize(
    "similarities",
    [
        [],
        [0.5],
        [0.1, 0.2],
        [0.1] * 30,
        [0.99] * 400,
        [0.05, 0.1, 0.3, 0.4] * 2_501,
        [index / 60 for index in range(60)],
        [0.05, 0.1, 0.9],
    ],
)
def test_every_reason_of_a_threshold_is_understood(similarities: list[float]) -> None:
    unrelated = estimate_unrelated(similarities, len(similarities), 40)
    # Of very many pairs a sample is known.
    sample = similarities[: 10_000 if len(similarities) > 10_000 else None]
    reason = suggest_threshold(unrelated, sample, len(similarities), 40).reason
    shown = threshold_reason(reason)
    assert "expected" not in shown
    assert re.findall(r"\d+%", reason)[-1].replace("%", "\u202f%") in shown or "too alike" in shown
    for language in ("de", "es"):
        with translation.override(language):
            translated = threshold_reason(reason)
        assert translated != shown
        assert "{" not in translated
        assert "pairs" not in translated


@pytest.mark.parametrize(("unread", "rest"), [(0, ""), (1234, "; nicht lesbare Zeilen: 1,234")])
def test_what_is_kept_of_a_log_of_git_is_said_in_the_language_of_the_page(unread: int, rest: str) -> None:
    with translation.override("de"):
        text = fixed_text(CommitLog(None, unread).reason)
    assert text == f"nur die Zeiten der Commits werden behalten{rest}"


PACKAGES = ("submissions", "moss.integrations")


LABELLED_ELSEWHERE = {
    "DecisionForm.notes", "DecisionForm.state", "ExportForm.format", "LinesForm.first", "LinesForm.last",
    "RoleForm.role", "ShareForm.until", "ThresholdForm.percent", "ThresholdForm.tab",
}  # fmt: skip


def forms_of_pages() -> Iterator[type[forms.Form | forms.ModelForm[Any]]]:
    for package in PACKAGES:
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            if "form" in module.name:
                import_module(module.name)
    waiting: list[Any] = [forms.Form, forms.ModelForm]
    while waiting:
        form = waiting.pop()
        waiting += form.__subclasses__()
        if form.__module__.startswith(("submissions.", "moss.")):
            yield form


def test_every_label_of_a_form_is_marked_for_translation() -> None:
    unmarked = {
        f"{form.__name__}.{name}"
        for form in forms_of_pages()
        for name, field in form.base_fields.items()
        if not isinstance(field.label, Promise) and not field.widget.is_hidden
    }
    assert unmarked == LABELLED_ELSEWHERE


WRITERS = {
    "BadArchive", "GroupingWarning", "Ignored", "RefusalError", "RosterProblem", "RosterRefused", "TooLarge",
    "Unreadable", "_warning",
}  # fmt: skip


# Only `moss check` reads a folder.
OF_THE_COMMAND = {" is not a folder"}


def typed_texts() -> Iterator[str]:
    """Yield the texts that intake writes for an uploader where it writes them, names and signs left out."""
    for path in (ROOT / "submissions/intake").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WRITERS:
                for part in (part for argument in node.args for part in ast.walk(argument)):
                    if isinstance(part, ast.Constant) and len(str(part.value).split()) > 2:
                        yield str(part.value)


def test_a_text_for_an_uploader_stands_among_the_sentences_that_pages_translate() -> None:
    assert {*typed_texts()} == OF_THE_COMMAND


def test_no_text_for_an_uploader_stands_in_two_places() -> None:
    sentences = [*reasons.REASONS, *reasons.PROBLEMS, *reasons.SENTENCES]
    assert len({*sentences}) == len(sentences)
    sources = "".join(path.read_text() for path in (ROOT / "submissions").rglob("*.py") if path.name != "sentences.py")
    assert [one for one in sentences if len(one.split()) > 3 and f'"{one}"' in sources] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_reason_of_a_layout_is_translated(sample: str, language: str) -> None:
    grouping = group_files(listing_of(SAMPLES[sample]))
    reasons = {grouping.reason(path) for path in grouping.ignored}
    with translation.override(language):
        assert [reason for reason in reasons if fixed_text(reason) == reason] == []


@pytest.mark.parametrize(
    "reason",
    [
        clean_path("/etc/passwd", 100)[1],
        clean_path("../../x", 100)[1],
        clean_path("", 100)[1],
        clean_path("x" * 200, 100)[1],
        str(Unreadable.by_error("KeyError")),
        "reading it as Java took longer than 20 s",
        BROKEN,
        OUT_OF_TIME,
        GAVE_UP,
        reasons.EMPTY_FILE,
        reasons.HARD_LINK,
        reasons.NAMED_ATTEMPTS[reasons.LATE_ATTEMPT].format(name="KeyError"),
        f"Java.zip: {reasons.EMPTY_ARCHIVE}",
    ],
)
def test_why_work_or_a_file_failed_is_translated_with_its_values(reason: str) -> None:
    with translation.override("de"):
        translated = fixed_text(reason)
    assert translated != reason
    assert [value for value in ("KeyError", "Java", "200") if value in reason and value not in translated] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_warning_that_intake_writes_is_translated(language: str) -> None:
    filled = [PLACE.sub("X", sentence) for sentence in SENTENCES]
    with translation.override(language):
        assert [one for one in filled if warning_text(one) == one or "X" not in warning_text(one)] == []


def test_a_list_in_a_warning_is_translated_and_its_names_are_not() -> None:
    files = [ReadFile(f"ada {n}", "and more.c", "c", 9, 1.0, n) for n in range(1, 8)]
    (warning,) = reading_warnings(files)
    with translation.override("de"):
        text = warning_text(warning.text)
    assert "ada 1/and more.c (geöffnet in Zeile 1)" in text
    assert text.endswith(" und 2 weitere.")
    assert warning_text(warning.text) == warning.text


# Each has one of the problems that a roster can have, or is refused for it.
ROSTERS = (
    b"name,id,shoe size\nAda,1,38\n",
    b"name,id,section\n,,A\nAda,1,B\n",
    b"name,id\nAda,1\nAda,1\n",
    b"name,id\nAda,1\nBen,1\nCleo,1\n",
    b"name,id\nAda,1\nBen,1\n",
    b'name,id\n"Ada,1\nBen,2\n',
    b"name,id,role\nAda,1,Student\nTess,2,TA\n",
)


REFUSED = (b"shoe size\n38\n", b"name\n" + b"Ada\n" * 100_001)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_problem_of_a_roster_is_in_the_language_of_the_page(language: str) -> None:
    problems = [str(problem) for text in ROSTERS for problem in parse_roster(text).problems]
    for text in REFUSED:
        with pytest.raises(RosterRefused) as refused:
            parse_roster(text)
        problems.append(str(refused.value))
    assert len(problems) >= len(ROSTERS) + len(REFUSED)
    with translation.override(language):
        assert [one for one in problems if roster_problem(one) == one] == []
        assert roster_problem("another sentence") == "another sentence"


def test_a_problem_of_a_roster_among_the_warnings_is_translated_and_names_stay() -> None:
    name = "Without code: {names}."
    submissions = {name: GroupedSubmission(students=(Student(name),))}
    named = [one.text for one in roster_warnings(parse_roster(b"name\nBen\n"), submissions)]
    roster = parse_roster(b"name,id\nAda,1\n" + b"Ada,1\n" * 12)
    with translation.override("de"):
        assert any(name in warning_text(text) for text in named)
        texts = [warning_text(one.text) for one in roster_warnings(roster, {})]
    assert [warning_text(text) for text in named] == named
    assert texts[0] == "Teilnehmerliste: Zeile 3: dieselbe wie Zeile 2; sie zählt einmal"
    assert "Teilnehmerliste: 2 weitere Probleme." in texts


def test_ranks_durations_and_counts_have_the_words_of_the_language_and_unknown_words_stay() -> None:
    time, languages = timedelta(days=2, hours=3), languages_read(["java", "java", "text"])
    expected = {
        "en": ["1st", "3rd", "2 days 3 h", "less than a minute", "2 Java, 1 read as prose"],
        "de": ["1.", "3.", "2 Tage 3 Std.", "weniger als eine Minute", "2 Java, 1 als Fließtext gelesen"],
        "es": ["1.ª", "3.ª", "2 días 3 h", "menos de un minuto", "2 Java, 1 leídos como prosa"],
    }
    for language, texts in expected.items():
        with translation.override(language):
            said = [ordinal(1), ordinal(3), duration(time), duration(timedelta(seconds=5))]
            assert [*said, languages_text(languages)] == texts
            assert (state_word("Postponed"), field_word("colour")) == ("Postponed", "colour")
    assert [language_or_each("python"), language_or_each("")] == ["Python", "that of each file"]


@pytest.mark.parametrize("state", State)
def test_a_state_has_the_same_word_by_its_value_and_by_the_label_of_a_stored_change(state: State) -> None:
    stored = state.value.title()
    assert state_word(state.value) == state_word(stored) == state.value
    with translation.override("es"):
        assert state_word(state.value) == state_word(stored) != state.value


DARK = 'link[rel=stylesheet][href*="dark"]'


def scheme(client: Client, address: str) -> tuple[list[str], list[str]]:
    """Return the colour schemes of a page, and when its dark colours apply."""
    page = get_page(client, address)
    return page.values('meta[name="color-scheme"]', "content"), page.values(DARK, "media")


def test_a_page_follows_the_system_until_a_theme_is_chosen(world: World, alice_client: Client) -> None:
    pairs, switch = reverse("pairs", args=[world.assignment.pk]), reverse("switch_theme")
    system = (["light dark"], ["screen and (prefers-color-scheme: dark)"])
    assert scheme(alice_client, pairs) == system
    alice_client.post(switch, {"theme": "light", "next": pairs})
    assert scheme(alice_client, pairs) == (["light"], [])
    assert get_page(alice_client, pairs).text(".theme [aria-pressed=true]") == "Light"
    alice_client.post(switch, {"theme": "system", "next": pairs})
    assert scheme(alice_client, pairs) == system
    response = alice_client.post(switch, {"theme": "dark", "next": pairs})
    assert (response.status_code, response.headers["Location"]) == (302, pairs)
    assert scheme(alice_client, pairs) == (["dark"], ["screen"])
    cookie = response.cookies["theme"]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 31_536_000)
    alice_client.logout()
    alice_client.cookies["theme"] = "dark"
    shared = reverse("shared", args=[shares.share_token(world.share)])
    assert scheme(alice_client, shared) == (["dark"], ["screen"])
    assert not get_page(alice_client, shared).has(".theme")


@pytest.mark.parametrize("name", ["assignment", "pairs", "pair"])
def test_a_hint_is_shown_until_dismissed(name: str, world: World, alice_client: Client, alice: User) -> None:
    pair = (world.assignment.pk, world.pair.left_id, world.pair.right_id)
    address = reverse(name, args=pair if name == "pair" else pair[:1])
    hint = get_page(alice_client, address).one(".first-time")
    form = {node.attributes["name"]: node.attributes["value"] for node in hint.css("input")}
    assert alice_client.post(reverse("dismiss_hint"), form).headers["Location"] == address
    assert not get_page(alice_client, address).has(".first-time")
    response = alice_client.post(reverse("dismiss_hint"), form, headers={"HX-Request": "true"})
    assert (response.status_code, response.content) == (200, b"")
    assert DismissedHint.objects.filter(user=alice).count() == 1


def test_nobody_else_loses_a_hint_and_only_known_ones_of_somebody_signed_in_are_stored(
    world: World, alice_client: Client, colleague_client: Client, client: Client
) -> None:
    dismiss = reverse("dismiss_hint")
    assert alice_client.post(dismiss, {"hint": "made up"}).status_code == 302
    assert client.post(dismiss, {"hint": "cases"}).status_code == 302
    assert not DismissedHint.objects.exists()
    alice_client.post(dismiss, {"hint": "cases"})
    address = reverse("assignment", args=[world.assignment.pk])
    assert not get_page(alice_client, address).has(".first-time")
    assert get_page(colleague_client, address).has(".first-time")
    assert not get_page(client, reverse("shared", args=[shares.share_token(world.share)])).has(".first-time")


def test_no_style_sheet_has_a_word_of_a_language() -> None:
    sheets = {path.name: path.read_text() for path in (ROOT / "submissions/static/submissions").glob("*.css")}
    assert "charts.css" in sheets
    words = {name: re.findall(r'content: *"[^"\\]*[A-Za-z]', text) for name, text in sheets.items()}
    assert {name for name, matches in words.items() if matches} == set()

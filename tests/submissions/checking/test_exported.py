"""What pages and documents of classes of several kinds state is counted again in what a person can export."""

import re
from collections.abc import Callable
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client

from submissions.models import Assignment
from submissions.uploads.change import create_batch
from tests.support.checking.exported import Exported
from tests.support.checking.sentences import NOT_COUNTED, SENTENCES, falsehoods, normal, statements, templates
from tests.support.programs import edited, program, remarked, renamed
from tests.support.sample_class import zipped
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.services

Sources = dict[str, dict[str, str]]
JAVA = (
    "int {a} = {b}.get({n}) + {c};",
    "if ({a} > {n} && {b} != null) {{ {c}.add({a}); }}",
    "for (int {a} = {n}; {a} < {b}.size(); {a}++) {{ {c} += {a} * {n}; }}",
    'System.out.println("{a} of {b}: " + {c});',
    "while ({a}.hasNext()) {{ {b} = {a}.next() % {n}; }}",
    "{a} = new {C}({b}, {n}).{c}();",
    "switch ({a}) {{ case {n}: {b} = {c}; break; default: {b}--; }}",
    "try {{ {a}.close(); }} catch ({C}Exception {b}) {{ {c} = {n}; }}",
    "return {a} == {n} ? {b} : {c}.{a}({n});",
)
SQL = (
    "SELECT {a}, COUNT({b}) FROM {c} WHERE {a} > {n} GROUP BY {a} HAVING COUNT({b}) > {n};",
    "UPDATE {a} SET {b} = {b} * {n} WHERE {c} IN (SELECT {c} FROM {b} ORDER BY {a} LIMIT {n});",
    "INSERT INTO {a} ({b}, {c}) VALUES ({n}, '{c}');",
    "DELETE FROM {a} WHERE {b} BETWEEN {n} AND {n} OR {c} LIKE '%{a}%';",
    "CREATE TABLE {a} ({b} INTEGER PRIMARY KEY, {c} VARCHAR({n}) NOT NULL, CHECK ({b} < {n}));",
)
WEB = (
    '<div class="{a}"><h2>{b}</h2><img src="{c}.png" width="{n}"></div>',
    '<ul id="{a}{n}"><li><a href="{b}.html">{c}</a></li><li>{a}</li></ul>',
    '<table><tr><th>{a}</th><td colspan="{n}">{b}</td></tr></table>',
    '<form action="/{a}"><input name="{b}" value="{n}"><button type="submit">{c}</button></form>',
)
WORDS = [
    "apple",
    "bridge",
    "candle",
    "desert",
    "engine",
    "forest",
    "garden",
    "harbor",
    "island",
    "jacket",
    "kettle",
    "ladder",
    "market",
    "needle",
]


def lines(random: Random, templates: tuple[str, ...], count: int) -> list[str]:
    """Return random statements of a language."""
    drawn = []
    for _ in range(count):
        a, b, c = random.sample(WORDS, 3)
        text = random.choice(templates)
        drawn.append(text.format(a=a, b=b, c=c, C=c.capitalize(), n=random.randrange(2, 900)))
    return drawn


def java(random: Random, name: str, methods: int = 3) -> str:
    parts = [f"public class {name} {{"]
    for _ in range(methods):
        parts += [f"    int {random.choice(WORDS)}(int {random.choice(WORDS)}) {{"]
        parts += [f"        {line}" for line in lines(random, JAVA, random.randrange(3, 8))] + ["    }"]
    return "\n".join([*parts, "}", ""])


def other_names(text: str) -> str:
    return re.sub(rf"\b({'|'.join(WORDS)})\b", lambda match: f"{match[1][::-1]}X", text)


def projects(random: Random) -> Sources:
    """Return seven projects of twenty files; twelve files of two are identical, eight have other names."""
    paths = [f"src/{word.capitalize()}{at}.java" for at in (1, 2) for word in WORDS[:10]]
    own = {f"team{n}": {path: java(random, path[4:-5], 1) for path in paths} for n in range(6)}
    copied = {
        path: text if at < 12 else other_names(text) for at, (path, text) in enumerate(own["team1"].items())
    }
    return own | {"team6": copied}


def java_programs(random: Random) -> Sources:
    own = {
        f"j{n:02}": {"Main.java": java(random, "Main", 4), "Shop.java": java(random, "Shop", 3)}
        for n in range(12)
    }
    own["j12"] = {"Main.java": other_names(own["j03"]["Main.java"]), "Shop.java": java(random, "Shop", 3)}
    own["j13"] = {"Table.java": own["j05"]["Shop.java"], "Main.java": java(random, "Main", 6)}
    own["j14"] = dict(own["j07"])
    return own


def scripts(random: Random) -> Sources:
    own = {f"s{n:02}": {"main.py": program(random, 5)} for n in range(14)}
    text = remarked(random, own["s02"]["main.py"])
    own["s14"] = {"main.py": renamed(own["s01"]["main.py"])}
    own["s15"] = {"main.py": text}
    own["s16"] = {"part.py": edited(random, own["s04"]["main.py"])}
    halves = own["s06"]["main.py"].split("\ndef ")
    own["s17"] = {"main.py": "\n".join(["", *(f"def {half}" for half in reversed(halves[1:]))])}
    return own


def web_pages(random: Random) -> Sources:
    own = {
        f"w{n:02}": {"index.html": "\n".join(["<html><body>", *lines(random, WEB, 12), "</body></html>", ""])}
        for n in range(12)
    }
    own["w12"] = {"index.html": other_names(own["w03"]["index.html"])}
    own["w13"] = {"index.html": own["w04"]["index.html"].replace("<body>", "<body><!-- mine -->")}
    return own


def short_sql(random: Random) -> Sources:
    own = {f"q{n:02}": {"answers.sql": "\n".join([*lines(random, SQL, 5), ""])} for n in range(10)}
    return own | {"q10": {"answers.sql": "-- by me\n" + own["q02"]["answers.sql"]}, "q11": dict(own["q05"])}


KINDS: list[Callable[[Random], Sources]] = [projects, java_programs, scripts, web_pages, short_sql]


@pytest.fixture
def export(
    hand_in: HandIn, assignment: Assignment, alice: User, alice_client: Client
) -> Callable[[Sources], Exported]:
    def exported(sources: Sources) -> Exported:
        hand_in(
            zipped(
                {f"{name}/{path}": text for name, of_one in sources.items() for path, text in of_one.items()}
            )
        )
        return Exported(alice_client, assignment, sources)

    return exported


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_stated_of_a_class_is_so_and_no_other_figure_would_be(
    export: Callable[[Sources], Exported], kind: Callable[[Random], Sources]
) -> None:
    exported = export(kind(Random(55)))
    assert "\n".join(falsehoods(exported)) == ""
    found = list(statements(exported))
    assert len({one.sentence.template for one in found}) > 10
    unnoticed = {
        one.sentence.template
        for one in found
        if (others := list(one.changed())) and not any(not other.is_true(exported) for other in others)
    }
    assert unnoticed == set()


@pytest.mark.parametrize("copies", [0, 2])
def test_what_is_stated_of_compared_assignments_is_counted_in_their_tables(
    export: Callable[[Sources], Exported],
    assignment: Assignment,
    alice: User,
    copies: int,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    random = Random(54)
    for term in ("2024", "2025"):
        other = Assignment.objects.create(course=assignment.course, name=f"Lab {term}", term=term)
        programs = [program(random, 4) for _ in range(6)]
        of_class = enumerate([*programs, *map(renamed, programs[:copies])])
        with django_capture_on_commit_callbacks(execute=True):
            create_batch(other, alice, [zipped({f"o{n}/main.py": text for n, text in of_class})])
        assignment.compared_with.add(other)
    exported = export({f"s{n:02}": {"main.py": program(random, 4)} for n in range(8)})
    found = [one for one in statements(exported) if "compared assignment" in one.sentence.template]
    assert {one.key[0] for one in found} >= {"cases", "list", "document"}
    assert {"reached" in one.values for one in found} == {copies > 0}
    assert all(one.is_true(exported) for one in found)
    others = [(one.values, other) for one in found for other in one.changed()]
    same_limit = [other for values, other in others if other.values.get("limit") == values.get("limit")]
    assert not [other for other in same_limit if other.is_true(exported)]


def test_every_template_with_a_placeholder_has_a_check_or_a_reason_for_none() -> None:
    listed = [line for line in NOT_COUNTED.read_text().splitlines() if line and not line.startswith("#")]
    checked = {normal(one.template) for one in SENTENCES}
    parts = {text for text in templates() if not any(text in one for one in checked)}
    assert sorted(listed) == sorted(parts)

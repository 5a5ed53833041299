"""What pages and documents of classes of several kinds state is counted again in what a person can export."""

import re
from collections.abc import Callable
from copy import copy, deepcopy
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment
from submissions.uploads.change import create_batch
from tests.support.checking import class_sentences
from tests.support.checking.exported import Exported, Passage, comments, words
from tests.support.checking.sentences import NOT_COUNTED, SENTENCES, falsehoods, normal, statements, templates
from tests.support.html import Page
from tests.support.notebooks import CODE, MARKDOWN, notebook_with
from tests.support.programs import edited, program, remarked, renamed
from tests.support.sample_class import zipped
from tests.support.shares import best, link_to, shared_pairs, shared_report
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.services
# Its checks are registered.
assert class_sentences

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
    copied = {path: text if at < 12 else other_names(text) for at, (path, text) in enumerate(own["team1"].items())}
    return own | {"team6": copied}


def java_programs(random: Random) -> Sources:
    own = {f"j{n:02}": {"Main.java": java(random, "Main", 4), "Shop.java": java(random, "Shop", 3)} for n in range(12)}
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


def scaffolded(random: Random) -> Sources:
    """Return scripts that begin with the same twelve statements, which nobody registered."""
    start = program(random, 2)
    own = {f"t{n:02}": {"main.py": start + program(random, 3), "notes.txt": f"note {n}\n"} for n in range(14)}
    own["t14"] = {"main.py": start + renamed(own["t02"]["main.py"].removeprefix(start))}
    return own


KINDS: list[Callable[[Random], Sources]] = [
    projects,
    java_programs,
    scripts,
    web_pages,
    short_sql,
    scaffolded,
]


@pytest.fixture
def export(hand_in: HandIn, assignment: Assignment, alice: User, alice_client: Client) -> Callable[[Sources], Exported]:
    def exported(sources: Sources) -> Exported:
        hand_in(zipped({f"{name}/{path}": text for name, of_one in sources.items() for path, text in of_one.items()}))
        kept = {
            name: texts
            for name, of_one in sources.items()
            if (texts := [path for path in of_one if path.endswith(".txt")])
        }
        return Exported(alice_client, assignment, sources, kept=kept)

    return exported


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_stated_of_a_class_is_so_and_no_other_figure_would_be(
    export: Callable[[Sources], Exported], kind: Callable[[Random], Sources]
) -> None:
    judged(export(kind(Random(55))))


def judged(exported: Exported) -> None:
    """Check that all sentences are so, and that each would be noticed with another figure."""
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
    report = assignment.reports.latest("pk")
    pair = best(report)
    document = reverse("export_pair", args=[assignment.pk, pair.left_id, pair.right_id])
    (owner := Client()).force_login(alice)
    copies_of_others = (
        Client().get(shared_pairs(shared_report(report, alice))),
        Client().get(link_to(shared_report(report, alice))),
        owner.get(document, {"format": "html", "names": str(pair.left_id)}),
    )
    assert not [one for one in copies_of_others if b"compared assignment" in b"".join(one)]


def other_source(exported: Exported) -> None:
    name = exported.pairs[0]["left"]
    exported.sources = {**exported.sources, name: {"main.py": program(Random(1), 4)}}


def other_figure(column: str, by: float) -> Callable[[Exported], None]:
    def change(exported: Exported) -> None:
        exported.pairs[0][column] += by

    return change


def other_page(key: str, pattern: str, text: str) -> Callable[[Exported], None]:
    def change(exported: Exported) -> None:
        for at in [at for at in exported.pages if at[0] == key]:
            exported.pages[at] = Page(re.sub(pattern, text, exported.pages[at].html))

    return change


def same_file(exported: Exported) -> None:
    """Let the sides of an ordinary pair have the same file besides their own."""
    sources = exported.sources
    table = "".join(f"rows[{n}] = lambda a, b: ~(a @ b) if a is not b else {n} ** b[{n} : a]\n" for n in range(9))
    both = {exported.pairs[-1][side]: {"table.py": table} for side in ("left", "right")}
    exported.sources = {name: {**files, **both.get(name, {})} for name, files in sources.items()}


BREAKERS: dict[str, Callable[[Exported], None]] = {
    "another source": other_source,
    "a share": other_figure("left_share", -0.3),
    "a similarity": other_figure("similarity", -0.3),
    "a number of lines": other_figure("lines", 9),
    "the size of the longest passage": other_figure("longest", 9),
    "a flag": lambda exported: exported.pairs[-1]["flags"].append("identical"),
    "a file that is not compared": lambda exported: setattr(exported, "kept", {"s01": ["notes.txt"]}),
    "a student": lambda exported: setattr(exported, "size", exported.size + 1),
    "a digest": other_page("document", r"\b[0-9a-f]{60}", "0" * 60),
    "a printed line": other_page("document", r"return", "retrun"),
    "a bin of the histogram": other_page("cases", r'(<td class="number">)\d+', r"\g<1>77"),
    "the number of cases": other_page("cases", r"\b\d+ cases", "9 cases"),
    "a threshold": lambda exported: exported.parameters["threshold"].update(value=0.77),
    "a number of names that were changed": other_page("pair", r"\d+ names were changed", "24 names were changed"),
    "names that nobody changed": other_page("pair", r"only comments and layout differ in it", "19 names were changed"),
    "what is written alike": other_page("pair", r"\d+ names were changed", "every token of that is written alike"),
    "a number of parts that were moved": other_page("pair", r"\w+ parts were moved", "nine parts were moved"),
    "a file that both sides have, which no flag names": same_file,
    "a copy of a whole program in two pieces": other_page(
        "document", r'(?s)(<section class="passage.*?</section>)', r"\1\1"
    ),
    "a number of identical lines": other_page("lines", r"\d+ lines are identical", "43 lines are identical"),
    "a share of the code": other_page("pair", r"97.% of", "89 % of"),
    "a rank": other_page("document", r"rank \d+ of \d+ pairs", "rank 1 of 2,287 pairs"),
    "how many submissions have a passage": other_page("document", r"in at most \d+ of", "in at most 1 of"),
    "a number of similar pairs": other_page("list", r"\d+ pairs share enough", "435 pairs share enough"),
    "how rare an ordinary pair is": other_page(
        "pair",
        r"More than one in \d+ independent pairs of this class look like this",
        "Hardly any independent pair of this class is expected to look like this",
    ),
    "a number of students in pairs": other_page("cases", r"(<span data-above>)\d+", r"\g<1>12"),
}


def test_one_changed_fact_of_any_kind_is_found(export: Callable[[Sources], Exported]) -> None:
    exported = export(scripts(Random(55)))
    assert falsehoods(exported) == []
    for kind, change in BREAKERS.items():
        broken = copy(exported)
        broken.__dict__.pop("row_by_pair", None)
        broken.pairs, broken.parameters = deepcopy(exported.pairs), deepcopy(exported.parameters)
        broken.pages = dict(exported.pages)
        change(broken)
        assert falsehoods(broken), kind


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.c", 'get("http://a.b/", user); // "now"', ["get", "(", '"http://a.b/"', ",", "user", ")", ";"]),
        ("a.c", r'put("a \" b"); // c', ["put", "(", r'"a \" b"', ")", ";"]),
        ("a.py", "a = '#' # don't", ["a", "=", "'#'"]),
        ("a.hs", "go' n' 'x' -- it's", ["go'", "n'", "'x'"]),
        ("a.m", "a = b' * c(1)'; % 'd", ["a", "=", "b", "'", "*", "c", "(", "1", ")", "'", ";"]),
        ("a.m", "a = '%d';", ["a", "=", "'%d'", ";"]),
    ],
)
def test_words_of_strings_comments_and_names_with_apostrophes_are_told_apart(
    path: str, text: str, expected: list[str]
) -> None:
    assert words(text, path) == expected
    assert len(comments(text, path)) == text.endswith(('now"', "c", "don't", "it's", "'d"))


def test_words_beside_each_other_are_of_lines_that_are_alike_but_for_them() -> None:
    rows = [
        ["1", text, "1", other] for text, other in [("", ""), ("move,", ", turn"), ("f(move)", "f(walk)"), ("", "")]
    ]
    passage = Passage("Passage 1", ["a.hs, line 1", "b.hs, line 1"], rows)
    assert set(passage.changed(inner=True, alike=True)[0]) == {("move", "walk")}
    assert ("move", ",") in passage.changed(inner=True)[0]


def notebook(cells: list[str]) -> tuple[bytes, str]:
    """Return a notebook with a text cell and cells of code, and its text as it is shown."""
    task = "# Tides\nWe add up all that was measured, and say what the highest and the lowest value is."
    every = [("markdown", task), *(("python", one) for one in cells)]
    shown = "\n".join(
        f"───── cell {number}, {kind} ─────\n{source}\n" for number, (kind, source) in enumerate(every, 1)
    )
    data = [{**MARKDOWN, "source": task}, *({**CODE, "source": one} for one in cells)]
    return notebook_with(cells=data), shown


def test_a_class_of_notebooks_with_those_of_last_year_is_judged(
    hand_in: HandIn, assignment: Assignment, alice: User, alice_client: Client,
    django_capture_on_commit_callbacks: Committing,
) -> None:  # fmt: skip
    random = Random(7)
    cells = {f"n{n:02}": [program(random, 2), program(random, 3)] for n in range(16)}
    cells["n16"] = [renamed(one) for one in cells["n03"]]
    cells["n17"] = [cells["n05"][1], program(random, 2)]
    last = {f"l{n:02}": [program(random, 2), program(random, 3)] for n in range(9)} | {"l09": cells["n07"]}
    files = {name: notebook(one) for name, one in (cells | last).items()}
    with django_capture_on_commit_callbacks(execute=True):
        earlier = zipped({f"{name}/work.ipynb": files[name][0] for name in last}, "last.zip")
        create_batch(assignment, alice, [earlier], role="earlier")
    hand_in(zipped({f"{name}/work.ipynb": files[name][0] for name in cells}))
    shown = {f"{name} (last)" if name in last else name: one for name, one in files.items()}
    sources = {name: {"work.ipynb": text} for name, (_, text) in shown.items()}
    raw = {name: {"work.ipynb": data} for name, (data, _) in shown.items()}
    judged(Exported(alice_client, assignment, sources, raw))


def test_an_export_of_a_platform_with_second_attempts_and_a_team_is_judged(
    hand_in: HandIn, assignment: Assignment, alice_client: Client
) -> None:
    random = Random(9)
    files: dict[str, str | bytes] = {}
    sources: Sources = {}
    for n in range(12):
        name = f"student{n:02}"
        own = {"Main.java": java(random, "Main", 4), "Shop.java": java(random, "Shop", 2)}
        if n == 11:
            own["Main.java"] = other_names(sources["student04"]["garage/Main.java"])
        attempts = ["garage", "garage-1"] if n % 5 == 2 else ["garage"]
        for number, stem in enumerate(attempts):
            late = "_LATE" * (number > 0)
            first = f"{name}{late}_{2000 + n}_{50_000 + 10 * n + number}_{stem}.zip"
            files[first] = zipped(own if stem == attempts[-1] else {"Main.java": java(random, "Main", 4)}).read()
        sources[name] = {f"{attempts[-1]}/{path}": text for path, text in own.items()}
    assignment.teams = "student06, student08"
    assignment.save()
    hand_in(zipped(files))
    exported = Exported(alice_client, assignment, sources)
    assert sorted(row["submission"] for row in exported.submissions) == sorted(sources)
    exported.print_pair(alice_client, assignment, exported.pairs[0]["left"], exported.pairs[0]["right"])
    judged(exported)
    printed = {one.sentence.template for one in statements(exported) if one.key in exported.prints}
    assert "rank {{ rank }} of {{ pairs }} pairs in a class of {{ submissions }}" in printed


def test_every_template_with_a_placeholder_has_a_check_or_a_reason_for_none() -> None:
    listed = [line for line in NOT_COUNTED.read_text().splitlines() if line and not line.startswith("#")]
    checked = {normal(one.template) for one in SENTENCES}
    parts = {text for text in templates() if not any(text in one for one in checked)}
    assert sorted(listed) == sorted(parts)

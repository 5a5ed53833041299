"""The pair page: blocks with gaps, trimmed edges, comments, common code, and one sentence on top."""

import re
from collections.abc import Callable
from functools import reduce
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Batch, Document, Pair
from submissions.uploads.change import create_batch
from tests.support.html import Page, get_page
from tests.support.programs import program, renamed
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped
from tests.support.uploads import Committing, HandIn


@pytest.fixture
def open_pair(alice_client: Client, hand_in: HandIn) -> Callable[[dict[str, str]], Page]:
    """Return a function that hands in a class and returns the page of its most similar pair."""

    def opened(files: dict[str, str]) -> Page:
        pair = Pair.objects.filter(report__assignment=hand_in(zipped(files)).assignment)[0]
        return get_page(alice_client, address(pair))

    return opened


def address(pair: Pair) -> str:
    return reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def sentence(page: Page) -> str:
    return " ".join(page.texts(".summary")[0].split())


def padded(source: str) -> str:
    """Return a program with a statement inserted after every second one."""
    lines = source.splitlines()
    for at in range(len(lines) - 1, 3, -3):
        indentation = lines[at][: len(lines[at]) - len(lines[at])]
        lines.insert(at, f"{indentation}print('trace', {at}, sep='-')")
    return "\n".join(lines)


@pytest.mark.long
def test_a_padded_copy_is_a_passage_of_visible_pieces(open_pair: Callable[[dict[str, str]], Page]) -> None:
    original = program(Random(7), 3)
    page = open_pair({"ada/a.py": original, "ben/b.py": padded(original)})
    assert page.values(".passages li", "data-passage") == ["1"]
    assert "interrupted" in page.texts(".passages .size")[0]
    assert len(Pair.objects.get().passages) > 3
    inserted = "".join(page.texts('[data-side="R"] mark.gap'))
    assert "trace" in inserted
    assert "trace" not in "".join(page.texts('[data-side="R"] mark:not(.gap)'))
    assert len(page.values(".badge[id]", "id")) == 2


@pytest.mark.parametrize(("tokens", "moved"), [(19, False), (20, True)])
def test_a_passage_of_twenty_tokens_counts_as_moved_and_a_shorter_one_does_not(
    alice_client: Client, hand_in: HandIn, tokens: int, *, moved: bool
) -> None:
    hand_in(zipped({"ada/a.py": COPIED, "ben/b.py": RENAMED}))
    pair = Pair.objects.get()
    one = pair.passages[0]
    pair.passages = [
        one._replace(left_token=0, right_token=tokens, tokens=30),
        one._replace(left_token=30, right_token=0, tokens=tokens),
    ]
    pair.save()
    assert ("one part was moved" in sentence(get_page(alice_client, address(pair)))) is moved


@pytest.mark.long
def test_a_comment_is_marked_only_where_both_have_it(open_pair: Callable[[dict[str, str]], Page]) -> None:
    lines = COPIED.splitlines(keepends=True)
    source = "".join([*lines[:4], "    # my own remark\n", *lines[4:6], "        # the same remark\n", *lines[6:]])
    other = source.replace("my own remark", "other words")
    page = open_pair({"ada/a.py": source, "ben/b.py": other})
    equal = "".join(page.texts("mark:not(.gap)"))
    assert "the same remark" in equal
    assert "my own remark" not in equal
    assert "other words" not in equal
    assert "my own remark" in "".join(page.texts('[data-side="L"] mark.gap'))
    assert sentence(page) == "All of ada\u2019s code is in ben\u2019s; only comments and layout differ in it."


def test_the_sentence_says_what_was_changed(open_pair: Callable[[dict[str, str]], Page]) -> None:
    page = open_pair({"ada/a.py": COPIED, "ben/b.py": RENAMED.replace("0", "1")})
    assert sentence(page) == "All of ada\u2019s code is in ben\u2019s; 4 names and 1 literal were changed."
    assert page.terms(".figures")["Similarity"]


def test_names_of_an_ordinary_pair_differ_and_nobody_changed_them(
    alice_client: Client, open_pair: Callable[[dict[str, str]], Page]
) -> None:
    open_pair({"ada/a.py": COPIED, "ben/b.py": RENAMED.replace("0", "1")})
    pair = Pair.objects.get()
    pair.report.parameters["threshold"]["look"] = pair.similarity + 0.01
    pair.report.save()
    assert sentence(get_page(alice_client, address(pair))).endswith("; 4 names and 1 literal differ.")


SPREAD = """def spread(rows, step):
    found = []
    for row in rows:
        if row % step == 0:
            found.append(row // step)
    return sorted(found)


def longest(rows):
    best = rows[0]
    for row in rows:
        if len(row) > len(best):
            best = row
    return best


"""


@pytest.mark.parametrize("exchanged", [False, True])
def test_names_of_statements_that_were_added_were_not_changed(
    open_pair: Callable[[dict[str, str]], Page], *, exchanged: bool
) -> None:
    own = "low = spread(rows, 2)\nprint(low)\nhigh = spread(rows, 3)\nprint(high)\n"
    added = "first = spread(rows, 7)\nprint(first)\nlast = spread(rows, 8)\nprint(last)\n"
    one, other = (SPREAD + own, SPREAD + added + own)[:: -1 if exchanged else 1]
    page = open_pair({"ada/a.py": one, "ben/b.py": other})
    assert sentence(page).endswith("; 2 names and 2 literals differ.")


MEAN = """def mean(path, limit):
    count = 0
    longest = str()
    for line in open(path):
        for word in line.split()[:limit]:
            count += 1
            if len(word) > len(longest):
                longest = word
    label = "words: " if count > 1 else "word: "
    print(label + str(count), longest, sep="\\n")
    mean = sum(len(w) for w in open(path).read().split()) / max(count, 1)
    print(round(mean, 2))
    return count
"""
MEAN_IN_RUST = """fn mean(path: &str) -> usize {
    let mut count = 0;
    let mut longest = String::new();
    for line in read(path) {
        for word in line.split(' ') {
            count += 1;
            if word.len() > longest.len() {
                longest = word.to_string();
            }
        }
    }
    let mean = total(path) / count.max(1);
    println!("{} {}", mean, longest);
    count
}
"""
MEAN_IN_C = """static int mean(char *path) {
    int count = 0;
    int longest = 0;
    for (int i = 0; i < size(path); i++) {
        int length = measure(path, i);
        count += 1;
        if (length > longest) {
            longest = length;
        }
    }
    int mean = total(path) / (count + 1);
    printf("%d %d", mean, longest);
    return count;
}
"""
MEAN_IN_JAVA = """class Mean {
    static Integer mean(Object path) {
        Integer count = 0;
        Object longest = first(path);
        for (Object word : read(path)) {
            count += 1;
            if (length(word) > length(longest)) {
                longest = word;
            }
        }
        Object mean = total(path);
        System.out.println(mean);
        return round(mean, count);
    }
}
"""
ANNOTATIONS = {
    ": float": ("py", MEAN, {"count = 0": "count: int = 0", "longest =": "longest: str =", "mean =": "mean: float ="}),
    "(path: str)": ("py", MEAN, {"(path, limit)": "(path: str, limit: int) -> int", "mean =": "mean: float ="}),
    "dict[str, int]": ("py", MEAN, {"limit)": "limit: dict[str, int])", "label =": "label: str ="}),
    "float()": ("py", MEAN, {"max(count": "max(float(count)", "round(mean": "round(float(mean)"}),
    ": Sum": ("rs", MEAN_IN_RUST, {"count =": "count: Sum =", "longest =": "longest: Word =", "mean =": "mean: Sum ="}),
    "(Size)": ("c", MEAN_IN_C, {"= measure": "= (Size) measure", "= total": "= (Sum) total", "int c": "const int c"}),
    "(Word)": ("java", MEAN_IN_JAVA, {"= word": "= (Word) word", "= total": "= (Sum) total", "static": "final static"}),
}  # fmt: skip


def annotated(source: str, changes: dict[str, str]) -> str:
    assert all(text in source for text in changes)
    return reduce(lambda text, change: text.replace(*change), changes.items(), source)


@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_names_beside_types_that_were_added_were_not_changed(
    open_pair: Callable[[dict[str, str]], Page], annotation: str, *, exchanged: bool
) -> None:
    extension, source, changes = ANNOTATIONS[annotation]
    one, other = (source, annotated(source, changes))[:: -1 if exchanged else 1]
    page = open_pair({f"ada/a.{extension}": one, f"ben/b.{extension}": other})
    assert "name" not in sentence(page).partition(";")[2]
    assert "Written differently" not in page.text("#about-1")
    assert not page.has(".renamings button")
    marked = "".join(page.texts("mark:not(.gap)"))
    assert not any(word in marked for word in ("float", "Size", "Word", "Sum"))


def test_a_copy_that_is_renamed_and_annotated_is_said_to_be_renamed(
    open_pair: Callable[[dict[str, str]], Page],
) -> None:
    new = re.sub(r"\b(count|longest|line|word|path|limit)\b", r"\1_", annotated(*ANNOTATIONS[": float"][1:]))
    page = open_pair({"ada/a.py": MEAN, "ben/b.py": new})
    assert sentence(page).endswith("; 6 names and 1 literal were changed.")
    assert any("longest → longest_ " in " ".join(row.split()) for row in page.texts(".renamings button"))


WORDS = ("Sum", "of", "EUR"), ("Mean", "for", "dollars")
# A program in which a string is printed, and the beginnings of code in that, with its end.
TEMPLATES = {
    "py": ("def show(a, b):\n  rest = b * 3 + len(a)\n  print(f{})\n  return rest\n", "{a}", "{rest:.2f}"),
    "kt": ("fun show(a: Any, b: Int) {\n  val rest = b * 3 + size(a)\n  print({})\n}\n", "$a", "${rest}"),
    "scala": ("def show(a: Any, b: Int) {\n  val rest = b * 3 + size(a)\n  print(s{})\n}\n", "$a", "${rest}"),
    "js": ("function show(a, b) {\n  let rest = b * 3 + size(a);\n  print(`{}`);\n}\n", "${a}", "${rest}"),
    "rb": ("def show(a, b)\n  rest = b * 3 + a.length\n  puts({})\n  rest\nend\n", "#{a}", "#{rest}"),
    "php": ("<?php\nfunction show($a, $b) {\n  $rest = $b * 3 + strlen($a);\n  print({});\n}\n", "$a", "{$rest}"),
    "swift": ("func show(a: Int, b: Int) {\n  let rest = b * 3 + a\n  print({})\n}\n", "\\(a)", "\\(rest)"),
    "dart": ("int show(String a, int b) {\n  var rest = b * 3 + size(a);\n  print({});\n}\n", "$a", "${rest}"),
    "pl": ("sub show {\n  my ($a, $b) = @_;\n  my $rest = $b * 3;\n  print({});\n}\n", "$a", "@{$rest}"),
    "cs": ("class A { int Show(int a, int b) {\n  int rest = b * 3 + a;\n  Print(${});\n} }\n", "{a}", "{rest}"),
    "sh": ("show() {\n  rest=$(( $1 * 3 + $2 ))\n  echo {}\n  test $rest -gt 9 && return 3\n}\n", "$a", "${rest}"),
    "ex": ("def show(a, b) do\n  rest = b * 3 + size(a)\n  IO.puts({})\n  rest\nend\n", "#{a}", "#{rest}"),
}  # fmt: skip


@pytest.mark.parametrize("extension", TEMPLATES)
def test_text_in_strings_with_code_is_a_literal(open_pair: Callable[[dict[str, str]], Page], extension: str) -> None:
    program, *codes = TEMPLATES[extension]
    quotes = "" if "`" in program else '"'
    texts = (quotes + f"{one} {codes[0]} {two} {codes[1]} {three}" + quotes for one, two, three in WORDS)
    files = zip(("ada", "ben"), texts, strict=True)
    page = open_pair({f"{name}/a.{extension}": program.replace("{}", text) for name, text in files})
    assert re.search(r"; [123] literals? (was|were) changed\.$", sentence(page))


def test_one_name_that_is_gone_was_changed(open_pair: Callable[[dict[str, str]], Page]) -> None:
    page = open_pair({"ada/a.py": SPREAD, "ben/b.py": SPREAD.replace("longest", "biggest")})
    assert sentence(page).endswith("; 1 name was changed.")


NOT_COMPARED = "; only what is not compared differs in it, such as layout, comments, punctuation, modifiers or imports."
OTHER_TEXT = "Other text that is not compared, such as brackets, modifiers or imports, differs in 1 place."


def test_what_is_not_compared_is_named_where_it_differs(open_pair: Callable[[dict[str, str]], Page]) -> None:
    java = "class A { public int f(int a) { while (a > 2) { a = a / 3 + 1; } return a; } }\n"
    page = open_pair({"ada/A.java": java, "ben/A.java": java.replace("public", "private").replace("a / 3", "(a / 3)")})
    assert sentence(page).endswith(NOT_COMPARED)
    assert page.texts(".flag.layout")[0] == "identical except layout, comments, punctuation and modifiers"


# Statements that are not compared, with words of their own, between two functions.
IMPORTS = {
    "c": ("int f{}(int a) { while (a > 2) { a = a / 3 + 1; } return a; }", '#include "{}.h"'),
    "cpp": ("int f{}(int a) { while (a > 2) { a = a / 3 + 1; } return a; }", "#include <{}>"),
    "js": ("function f{}(a) { while (a > 2) { a = a / 3 + 1; } return a; }", "import b from 'https://x.org/{}.js';"),
    "php": ("<?php function f{}($a) { while ($a > 2) { $a = $a / 3 + 1; } return $a; }", "require '{}.php' ?>"),
    "py": ("def f{}(a):\n    while a > 2:\n        a = a / 3 + 1\n    return a\n", "import {}"),
    "pl": ("sub f{} { while ($a > 2) { $a = $a / 3 + 1; } return $a; }", "require '{}.pl';"),
    "rb": ("def f{}(a)\n  while a > 2\n    a = a / 3 + 1\n  end\n  return a\nend\n", "require_relative '{}'"),
    "r": ("f{} <- function(a) {\n  while (a > 2) { a <- a / 3 + 1 }\n  return(a)\n}\n", 'source("{}.R")'),
    "rs": ("fn f{}(mut a: i32) -> i32 { while a > 2 { a = a / 3 + 1; } return a; }", "use {}::b;"),
}


@pytest.mark.parametrize("extension", IMPORTS)
def test_another_import_is_no_other_comment(open_pair: Callable[[dict[str, str]], Page], extension: str) -> None:
    function, statement = IMPORTS[extension]
    both = [function.replace("{}", number) for number in "12"]
    texts = ["\n".join((both[0], statement.replace("{}", name), both[1])) for name in ("prices", "costs")]
    page = open_pair({f"{name}/a.{extension}": text for name, text in zip(("ada", "ben"), texts, strict=True)})
    assert sentence(page).endswith(NOT_COMPARED)
    assert page.texts("#about-1") == [f"All tokens are written the same. {OTHER_TEXT}"]


def test_keywords_in_other_capitals_are_not_other_keywords(open_pair: Callable[[dict[str, str]], Page]) -> None:
    query = "SELECT name, town FROM people WHERE age > 30 GROUP BY town HAVING count(name) > 2 ORDER BY town;\n"
    words = ("SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY")
    other = reduce(lambda text, word: text.replace(word, word.lower()), words, query)
    page = open_pair({"ada/a.sql": query, "ben/a.sql": other})
    assert sentence(page).endswith(NOT_COMPARED)
    assert page.texts("#about-1") == ["Keywords are in other capitals in 8 places."]


def test_names_that_are_exchanged_are_not_words_in_another_order(open_pair: Callable[[dict[str, str]], Page]) -> None:
    area = "def area(width, height):\n    wall = width * 3 + height * 2\n    return wall + width // height - 1\n"
    exchanged = area.replace("width", "w").replace("height", "width").replace("w,", "height,").replace("w ", "height ")
    page = open_pair({"ada/a.py": area, "ben/a.py": exchanged})
    assert sentence(page).endswith("; 2 names differ.")


PERSON = """
class Person {
    private String name; private String city; private int age;
    Person(String name, String city, int age) { this.name = name; this.city = city; this.age = age; }
    BOTH
    boolean isAdult() { if (age >= 18) { return true; } System.out.println(name + " is a child"); return false; }
}
"""
GETTERS = "String getName() { return name; }", "String getCity() { return city; }"
CHECKS = (
    'void early() { check(4, name, "IV"); check(5, name, "V"); print(name); }',
    'void late() { check(3, name, "III"); check(9, name, "IX"); print(name); }',
)


@pytest.mark.parametrize("functions", [GETTERS, CHECKS])
def test_functions_of_one_form_in_another_order_are_no_changed_words(
    open_pair: Callable[[dict[str, str]], Page], functions: tuple[str, str]
) -> None:
    ada, ben = (PERSON.replace("BOTH", "\n    ".join(both)) for both in (functions, functions[::-1]))
    page = open_pair({"ada/A.java": ada, "ben/A.java": ben})
    assert sentence(page) == "All of ada\u2019s code is in ben\u2019s; the same words are in another order."
    assert not page.has(".renamings button")


@pytest.mark.parametrize("functions", [GETTERS, CHECKS])
def test_of_functions_in_another_order_with_one_other_literal_words_differ(
    open_pair: Callable[[dict[str, str]], Page], functions: tuple[str, str]
) -> None:
    ada, ben = (PERSON.replace("BOTH", "\n    ".join(both)) for both in (functions, functions[::-1]))
    page = open_pair({"ada/A.java": ada, "ben/A.java": ben.replace("18", "21")})
    assert re.search(r"; \d names and \d literals? differ\.$", sentence(page))
    assert not page.has(".renamings button")


def test_notes_beside_a_program_are_not_said_to_be_shared(open_pair: Callable[[dict[str, str]], Page]) -> None:
    notes = "The area of a wall with a door in it, which I measured at home before I wrote this program.\n" * 4
    page = open_pair({"ada/a.py": COPIED, "ada/notes.txt": notes, "ben/b.py": renamed(COPIED)})
    assert sentence(page).startswith("All of ada\u2019s code is in ben\u2019s; ")


def test_of_essays_text_is_said_to_be_shared(open_pair: Callable[[dict[str, str]], Page]) -> None:
    words = ["tide", "moon", "harbour", "gate", "winter", "night", "storm", "letter", "market", "river", "stone"]
    random = Random(5)
    essay = "".join(" ".join(random.sample(words, 9)).capitalize() + ".\n" for _ in range(30))
    page = open_pair({"ada/a.txt": essay, "ben/b.txt": essay + "And so it ended, quite late in the evening.\n"})
    assert "\u2019s text is in " in sentence(page)


@pytest.mark.parametrize("row", ["{0}.{1}({2}, {3})", "put(3, {3})"])
def test_statements_in_another_order_are_said_to_be_that(open_pair: Callable[[dict[str, str]], Page], row: str) -> None:
    words = ["hall", "room", "door", "wall", "roof", "lamp", "step", "yard", "gate", "path", "tree", "pond"]
    lines = [row.format(words[at], words[at - 5], words[at - 2], 90 + at) for at in range(12)]
    page = open_pair({"ada/a.py": "\n".join(lines), "ben/b.py": "\n".join(Random(3).sample(lines, 12))})
    assert sentence(page) == "All of ada\u2019s code is in ben\u2019s; the same words are in another order."


def test_an_interrupted_passage_is_written_alike_between_its_interruptions(
    open_pair: Callable[[dict[str, str]], Page],
) -> None:
    rules = [f".a{at} > p {{\n  margin: {at}px {at + 1}px;\n  display: flex;\n" for at in range(9)]
    sheets = (f"  color: #{at}e2;\n}}\n".join([*rules, ""]) for at in (3, 4))
    page = open_pair({f"{name}/a.css": sheet for name, sheet in zip(("ada", "ben"), sheets, strict=True)})
    assert "interrupted" in page.texts(".passages .size")[0]
    assert page.texts("#about-1") == ["Between the interruptions, all tokens are written the same."]


def test_the_sentence_on_identical_files(open_pair: Callable[[dict[str, str]], Page]) -> None:
    assert sentence(open_pair({"ada/a.py": COPIED, "ben/b.py": COPIED})) == "ada and ben handed in the same files."


def common_class() -> dict[str, str]:
    """Return a class of 24 unlike programs that all begin with one template of a few lines."""
    template = program(Random(99), 1)
    return {f"s{n:02}/a.py": template + program(Random(n), 4) for n in range(24)}


def test_common_code_is_shown_with_the_number_of_others_that_have_it(
    alice_client: Client, open_pair: Callable[[dict[str, str]], Page]
) -> None:
    open_pair(common_class())
    page = get_page(alice_client, address(Pair.objects.filter(tokens=0)[0]))
    assert page.has("mark.common[data-others='22']")
    assert any("the whole also in up to 22 others" in text for text in page.texts(".passages .meta"))
    assert "common code, which other submissions have too" in sentence(page)
    shares = page.texts(".side h2")
    assert all("0 % without common code" in " ".join(text.split()) for text in shares)


@pytest.mark.parametrize(
    ("common", "said"),
    [(str, "; every token of that"), (renamed, "; apart from common code, every token of that")],
)
def test_common_code_that_is_written_differently_is_not_said_to_be_alike(
    alice_client: Client, hand_in: HandIn, common: Callable[[str], str], said: str
) -> None:
    template, copied = program(Random(99), 1), program(Random(98), 3)
    both = {"ada": template + copied, "ben": copied + program(Random(97), 1) + common(template)}
    hand_in(zipped(common_class() | {f"{name}/a.py": text for name, text in both.items()}))
    page = get_page(alice_client, address(Pair.objects.get(left__name="ada", right__name="ben")))
    assert f"{said} is written alike." in sentence(page)


@pytest.mark.long
def test_a_common_beginning_is_tinted_otherwise(open_pair: Callable[[dict[str, str]], Page]) -> None:
    files = common_class()
    files["s01/a.py"] = renamed(files["s00/a.py"])
    page = open_pair(files)
    assert page.has("mark.common")
    assert page.has('mark:not(.common):not(.gap)[data-passage="1"]')
    assert "without common code" not in sentence(page)
    assert sentence(page).startswith("All of s0")


def test_the_others_that_have_common_code_are_of_the_class(
    alice: User,
    alice_client: Client,
    assignment: Assignment,
    hand_in: HandIn,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    old = zipped({"gus/a.py": program(Random(99), 1) + program(Random(50), 4)}, "lab1-2024.zip")
    hand_in(zipped(common_class()))
    with django_capture_on_commit_callbacks(execute=True):
        create_batch(assignment, alice, [old], role=Batch.Role.EARLIER)
    pairs = Pair.objects.filter(tokens=0, left__name__startswith="gus")
    pair = next(one for one in pairs if any(passage.submissions == 24 for passage in one.passages))
    page = get_page(alice_client, address(pair))
    assert any("the whole also in up to 23 others" in text for text in page.texts(".passages .meta"))
    for one in pairs:
        figures = re.findall(r"at most (\d+) of (\d+)", get_page(alice_client, address(one)).text())
        assert all(int(some) <= int(every) == 24 for some, every in figures)


TRACED = "# @author Ada Lovelace, group 7\n" + COPIED + "overdue_fianl = 0.0731  \n"
MARKED = ("# @author Ada Lovelace, group 7", "overdue_fianl = 0.0731··", "0.0731", "overdue_fianl")


def test_what_all_of_a_small_class_have_is_no_trace(alice_client: Client, hand_in: HandIn) -> None:
    hand_in(zipped({f"{name}/a.py": TRACED + program(Random(n), 2) for n, name in enumerate(("ada", "ben", "cleo"))}))
    page = get_page(alice_client, address(Pair.objects.get(left__name="ada", right__name="ben")))
    assert not {*MARKED} & {*page.texts(".traces code")}


@pytest.mark.parametrize("others", [0, 1, 3])
def test_traces_are_what_both_have_and_hardly_anybody_else_with_its_count(
    alice_client: Client, hand_in: HandIn, others: int
) -> None:
    own = {f"s{n:02}/a.py": program(Random(n), 2) + f"# remark of number {n}, everybody\n" for n in range(6)}
    shared = {f"t{n:02}/a.py": program(Random(50 + n), 2) + TRACED.replace(COPIED, "") for n in range(others)}
    hand_in(zipped({"ada/a.py": TRACED, "ben/b.py": TRACED, **own, **shared}))
    pair = Pair.objects.get(left__name="ada", right__name="ben")
    page = get_page(alice_client, address(pair))
    traces = {text: row for row, text in zip(page.texts(".traces .where"), page.texts(".traces code"), strict=True)}
    assert set(MARKED) <= set(traces) if others < 3 else not set(MARKED) & set(traces)
    count = f"in {2 + others} submissions" if others else "only in these two"
    assert all(count in where for text, where in traces.items() if text in MARKED)
    assert not any(".py" in where for where in traces.values())
    assert not page.has("#L1[data-some]")
    counts = {int(value) for value in page.values(".line[data-some]", "data-some")}
    assert {2, 2 + others} <= counts


def test_traces_of_several_files_say_in_which_they_are(alice_client: Client, hand_in: HandIn) -> None:
    files = {f"{name}/src/x/m.py": TRACED for name in ("ada", "ben")}
    files |= {"ada/src/y/m.py": HONEST, "ben/src/y/m.py": HONEST + "kept = 1\n"}
    hand_in(zipped({**files, "cleo/c.py": program(Random(1), 4)}))
    pair = Pair.objects.get(left__name="ada", right__name="ben")
    page = get_page(alice_client, address(pair))
    places = {text: row for row, text in zip(page.texts(".traces .where"), page.texts(".traces code"), strict=True)}
    assert " ".join(places[MARKED[0]].split()).startswith("x/m.py 1 ↔ 1 ·")
    assert " x/m.py is identical in both." in page.text(".summary")


def test_a_file_of_several_is_named_once_with_as_much_of_its_path_as_both_sides_need(
    open_pair: Callable[[dict[str, str]], Page],
) -> None:
    files = {"ada/src/m.py": TRACED, "ben/src/m.py": TRACED}
    page = open_pair(files | {"ada/old/m.py": HONEST, "ben/z.py": program(Random(1), 4)})
    assert page.text(".summary").endswith(" src/m.py is identical in both.")
    page = open_pair({"ada/m.py": TRACED, "ben/m.py": TRACED, "ben/z.py": program(Random(1), 4)})
    assert page.texts(".passages .places")[0].count("m.py") == 1


def test_lines_of_files_that_an_older_version_read_have_no_counts(alice_client: Client, hand_in: HandIn) -> None:
    hand_in(zipped({"ada/a.py": TRACED, "ben/b.py": TRACED, "cleo/c.py": HONEST}))
    Document.objects.filter(files__submission__name="cleo").update(lines=None)
    page = get_page(alice_client, address(Pair.objects.get(left__name="ada", right__name="ben")))
    assert page.values(".line[data-some]", "data-some") == []
    assert "0.0731" in page.texts(".traces code")
    assert MARKED[0] not in page.texts(".traces code")

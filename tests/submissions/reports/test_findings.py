"""What a report says of a class: its findings, identical submissions, evidence and passages."""

import re
from collections.abc import Callable
from itertools import combinations
from random import Random

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given, strategies as st

from fingerprint.engine import CandidatePairs, Ranking, Scores
from fingerprint.languages import front_end
from fingerprint.languages.lexical_terms import LexicalTerms, lexical_terms, term_lengths
from fingerprint.languages.vocabulary import MAX_LENGTH
from fingerprint.ranking.score_constants import LEAST_RENAMED
from fingerprint.ranking.threshold import HIGHEST_THRESHOLD, SuggestedThreshold
from submissions.cases.read import pair_names
from submissions.core.models import CommonPassage, ExclusionEffect
from submissions.intake.packed_readings import pack_lexical, unpack_lexical, unpack_tokens
from submissions.models import Assignment, Document, Report
from submissions.pages.filters import percent
from submissions.reports import results as ranking
from submissions.reports.cohort import load_cohort, name_ranks, select_cohort
from submissions.uploads.change import add_boilerplate, rerank
from tests.support.html import get_page
from tests.support.programs import program
from tests.support.reports import findings_of
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, loose, zipped
from tests.support.shares import pair_page
from tests.support.tabs import tab
from tests.support.uploads import Committing, CountQueries, HandIn

TEMPLATE = """
def read_table(path, width):
    with open(path) as lines:
        table = [line.rstrip().split(",") for line in lines if not line.startswith("#")]
    return [row[:width] + [None] * (width - len(row)) for row in table]
"""


def newest(assignment: Assignment) -> Report:
    return Report.objects.filter(assignment=assignment, state=Report.State.DONE)[0]


def class_sharing(code: str, count: int) -> dict[str, str]:
    """Return the files of `count` submissions that have nothing but `code` in common."""
    return {f"student-{n:02}/main.py": code + program(Random(n)) for n in range(count)}


def effect_of(report: Report) -> ExclusionEffect:
    effect = findings_of(report).effect
    assert effect is not None
    return effect


def figures(report: Report) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the similarity and the larger share of every pair."""
    return {
        (pair.left_id, pair.right_id): (pair.similarity, max(pair.left_share, pair.right_share))
        for pair in report.pairs.all()
    }


def code_of(passage: CommonPassage) -> str:
    document = Document.objects.select_related("source").get(pk=passage.document)
    tokens = unpack_tokens(bytes(document.tokens))
    return bytes(document.source.data).decode()[tokens.starts[passage.first] : tokens.ends[passage.after - 1]]


@pytest.mark.long
def test_best_matches_come_from_pairs_that_are_not_listed_too(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch, alice_client: Client
) -> None:
    monkeypatch.setattr(ranking, "MAX_PAIRS", 1)
    report = newest(hand_in(zipped(CLASS)).assignment)
    assert report.pairs.count() == 1
    assert findings_of(report).scored == 3
    assert all(match.match for match in findings_of(report).best)
    facts = get_page(alice_client, tab(report.assignment, "pairs")).terms("section.made > .facts")
    assert facts["Compared"] == ("3 submissions; 3 pairs share enough to be scored, the 1 most similar are listed")


def test_a_whole_copy_is_stored_beyond_the_room_of_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "MAX_PAIRS", 2)
    similarity = np.array([0.8, 0.7, 0.6, 0.3, 0.2, 0.1, 0.1])
    shares = {"left_share": np.array([0.5, 0.4, 0.3, 0.2, 0.95, 1, 0]), "right_share": np.full(7, 0.1)}
    tokens = np.array([90, 90, 90, 90, 30, 29, 0])
    empty = dict.fromkeys(Scores._fields, np.zeros(7))
    pairs = CandidatePairs(np.zeros(7, np.int32), np.arange(1, 8, dtype=np.int32), np.ones(7, np.int32))
    threshold = SuggestedThreshold(0.9, "", 0.9, 0.95)
    scores = Scores(**{**empty, **shares, "similarity": similarity, "tokens": tokens})
    ranked = Ranking(pairs, scores, threshold, None, np.full((7, 2), -1), 7, 7)
    has_files = np.arange(7) == 6
    assert ranking._best_rows(ranked, np.arange(7), has_files).tolist() == [0, 1, 4, 6]


def test_submissions_without_code_are_not_the_same_and_one_like_nobodys_has_no_best_match(
    hand_in: HandIn, assignment: Assignment
) -> None:
    hand_in(zipped({"ada/m.py": "# nothing\n", "ben/m.py": "# nothing\n", "cleo/m.py": COPIED}))
    report = assignment.reports.get()
    assert report.duplicates == []
    assert [(match.match, match.similarity) for match in findings_of(report).best] == [(None, 0.0)] * 3


def test_a_report_stores_evidence_and_a_threshold_with_why(report: Report, alice_client: Client) -> None:
    tokens = sum(Document.objects.values_list("token_count", flat=True))
    assert findings_of(report).effect == ExclusionEffect(tokens=tokens, boilerplate=0, common=0)
    assert findings_of(report).common == []
    assert 0 < report.parameters["threshold"]["value"] < 1
    assert "3 pairs are too few" in report.parameters["threshold"]["reason"]
    for document in Document.objects.filter(state=Document.State.READY):
        source = bytes(document.source.data).decode(errors="replace")
        assert bytes(document.lexical) == pack_lexical(terms(source))
    pairs = list(report.pairs.all())
    for pair in pairs:
        assert pair.structure + pair.literals + pair.names + pair.imports == pytest.approx(pair.similarity)
        assert all(2 <= passage.submissions <= 3 for passage in pair.passages)
    page = get_page(alice_client, pair_page(pairs[0]))
    assert "in at most 2 of 3" in page.texts(".passages .meta")
    assert page.terms(".figures")["From literals"] == percent(pairs[0].literals)


def test_the_effect_of_boilerplate_is_a_difference(report: Report, starter: Callable[[], None]) -> None:
    before = figures(report)
    starter()
    now = newest(report.assignment)
    after, effect = figures(now), effect_of(now)
    starter_tokens = Document.objects.get(boilerplate__assignment=report.assignment).token_count
    assert effect.boilerplate == 3 * starter_tokens > 0
    assert effect.common == 0
    assert [effect.above, effect.above_before] == [
        sum(similarity >= now.parameters["threshold"]["value"] for similarity, _ in ranked.values())
        for ranked in (after, before)
    ]
    assert effect.moved
    for pair in effect.moved:
        both = pair.left, pair.right
        assert (pair.similarity_before, pair.share_before) == pytest.approx(before[both])
        assert (pair.similarity, pair.share) == pytest.approx(after.get(both, (0, 0)))
    changes = [abs(pair.similarity - pair.similarity_before) for pair in effect.moved]
    assert changes == sorted(changes, reverse=True)
    assert changes[0] > 0.05


@pytest.mark.long
def test_common_code_moves_shares_and_no_similarity_until_it_is_boilerplate(
    hand_in: HandIn, assignment: Assignment, alice_client: Client, committing: Committing
) -> None:
    report = newest(hand_in(zipped(class_sharing(TEMPLATE, 32))).assignment)
    moved = effect_of(report).moved
    assert moved
    for pair in moved:
        assert pair.similarity == pair.similarity_before
        assert pair.share < pair.share_before
        stored = report.pairs.get(left=pair.left, right=pair.right)
        assert pair.share_before == max(stored.left_with_common, stored.right_with_common)
    above = report.pairs.filter(similarity__gte=report.parameters["threshold"]["value"]).count()
    assert effect_of(report).above == effect_of(report).above_before == above
    page = get_page(alice_client, tab(assignment, "ignored"))
    said = page.text("section.left-out > h2 + p")
    assert (
        "common code in more than 16 otherwise different submissions, or in files that nearly all handed in. " in said
    )
    assert "This lowers lengths, and shares without common code. Similarities stay" in said
    assert re.fullmatch(r"\d+ tokens in 32 submissions", page.texts("li.piece > span")[0])
    assert re.fullmatch(r"Lines 2 to \d", page.texts("li.piece summary")[0])
    assert page.texts("li.piece pre")[0].startswith("def read_table(path, width):")
    with committing(execute=True):
        add_boilerplate(assignment, [loose("template.py", TEMPLATE)])
    report = newest(assignment)
    assert not any("open(path)" in code_of(passage) for passage in findings_of(report).common)
    handed_out = Document.objects.get(boilerplate__assignment=assignment).token_count
    assert effect_of(report).boilerplate >= 32 * handed_out


@pytest.mark.long
def test_a_small_class_has_no_common_code_unless_a_limit_is_set(
    hand_in: HandIn, assignment: Assignment, committing: Committing
) -> None:
    hand_in(zipped(class_sharing(TEMPLATE, 5)))
    assert findings_of(newest(assignment)).common == []
    assignment.common_limit = 3
    assignment.save()
    with committing(execute=True):
        rerank(assignment)
    assert findings_of(newest(assignment)).common[0].submissions == 5


def names(report: Report, ids: list[int]) -> list[str]:
    return [submission.name for submission in report.submissions.filter(pk__in=ids)]


def groups_of(report: Report) -> list[tuple[str, list[str]]]:
    return [(group.sameness, names(report, group.submissions)) for group in report.duplicates]


def test_a_submission_is_in_a_group_of_each_sameness_whatever_its_files_are_called(
    hand_in: HandIn, assignment: Assignment, alice_client: Client
) -> None:
    other = HONEST.replace("bins", "boxes")
    equal = {"ada/m.py": HONEST, "ben/copy.py": HONEST}
    hand_in(zipped(equal | {"cleo/m.py": f"# c\n{HONEST}", "dora/m.py": other}))
    assert groups_of(assignment.reports.get()) == [
        ("identical", ["ada", "ben"]),
        ("layout", ["ada", "ben", "cleo"]),
        ("names", ["ada", "ben", "cleo", "dora"]),
    ]
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.text("#same-heading") == "Identical submissions and files"
    assert page.texts(".same > p:not(.hint)")[0] == "2 submissions, the same content: ada, ben"
    assert page.text("#cases-heading") == "1 case among 4 submissions"


@pytest.mark.long
def test_projects_of_files_with_other_names_are_a_case(hand_in: HandIn, assignment: Assignment) -> None:
    renamed = {"x.py": HONEST.replace("bins", "boxes"), "a.py": RENAMED}
    project = {"a.py": HONEST, "b.py": COPIED}
    files = {f"ada/{name}": text for name, text in project.items()}
    files |= {f"ben/{name}": text for name, text in renamed.items()}
    hand_in(zipped(files | {"cleo/m.py": HONEST}))
    report = assignment.reports.get()
    ada, ben = report.submissions.filter(name__in=["ada", "ben"]).order_by("name")
    pair = report.pairs.get(left=ada, right=ben)
    assert groups_of(report) == [("names", ["ada", "ben"]), ("files", ["ada", "cleo"])]
    assert pair.similarity >= LEAST_RENAMED > HIGHEST_THRESHOLD
    assert pair.structure + pair.literals + pair.names + pair.imports == pytest.approx(pair.similarity)


@pytest.mark.long
def test_a_pair_of_common_code_says_so(hand_in: HandIn, assignment: Assignment, alice_client: Client) -> None:
    assignment.common_limit = 2
    assignment.save()
    hand_in(zipped({f"{name}/m.py": COPIED for name in ("ada", "ben", "cleo")}))
    report = assignment.reports.get()
    page = get_page(alice_client, reverse("pairs", args=[assignment.pk]))
    assert report.pairs.count() == 3
    assert page.texts("tr.pair td.tokens") == ["common code only"] * 3
    pair = report.pairs.all()[0]
    page = get_page(alice_client, reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id]))
    assert "The limit is 2 submissions." in " ".join(page.texts("main > .notice"))


def terms(source: str) -> LexicalTerms:
    return lexical_terms([front_end("python").scan(source)])[0]


@given(st.lists(st.sampled_from(["a = 'some words'", "print(b, 12.5)", "# words", "c = d"])))
def test_packed_terms_come_back(lines: list[str]) -> None:
    original = terms("\n".join(lines))
    unpacked = unpack_lexical(pack_lexical(original))
    assert [column.tolist() for column in unpacked] == [column.tolist() for column in original]


def test_terms_are_distinct_and_know_their_length_and_an_import_is_one_of_its_own() -> None:
    lexical = terms("total = total + 12\nprint('abc', 'abc', \"" + "x" * 99 + '")\n')
    assert sorted(term_lengths(lexical.literals).tolist()) == [2, 3, MAX_LENGTH]
    assert sorted(term_lengths(lexical.names).tolist()) == [5, 5]
    lexical = terms("import random  # a comment\n")
    assert [len(column) for column in lexical] == [0, 0, 1, 0]
    assert lexical.imports.tolist() == terms("import  random\n").imports.tolist()


def test_literals_that_were_handed_out_add_nothing(
    report: Report, assignment: Assignment, starter: Callable[[], None]
) -> None:
    starter()
    (pair,) = assignment.reports.get().pairs.all()
    assert (pair.left.name, pair.right.name) == ("ada", "ben")
    assert 1 / 1.2 <= pair.similarity < 1


# Sorted as a dictionary has them, which differs from the order of their code points.
NAMES = ("a", "a-b", "aa", "Ä", "B", "z")


def test_the_sides_of_a_pair_and_of_its_decision_follow_from_the_code_points_of_the_names(
    assignment: Assignment, django_assert_num_queries: CountQueries
) -> None:
    batch = assignment.batches.create(name="class.zip", state="done")
    submissions = [batch.submissions.create(name=name) for name in NAMES]
    with django_assert_num_queries(0):
        ranks = dict(zip(NAMES, name_ranks(submissions), strict=True))
    assert sorted(NAMES, key=ranks.__getitem__) == sorted(NAMES)
    for one, other in combinations(submissions, 2):
        with CaptureQueriesContext(connection) as asked:
            names = pair_names(assignment, one.pk, other.pk)
        assert ranks[names.left] < ranks[names.right]
        assert not any("ORDER BY" in query["sql"] for query in asked)
    selection = select_cohort(assignment)
    for rows in (selection.submissions, selection.submissions[::-1]):  # in whatever order the database has them
        cohort = load_cohort(assignment, selection._replace(submissions=rows))
        assert cohort.name_ranks == name_ranks(cohort.submissions)

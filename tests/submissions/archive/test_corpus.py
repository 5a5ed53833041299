"""Screening an archive: added documents are found again, and adding can be stopped and resumed."""

import argparse
import csv
import difflib
import heapq
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from click.testing import CliRunner, Result
from django.conf import settings
from django.db import connection
from hypothesis import given, strategies as st
from psycopg import connect

from fingerprint.engine import Unreadable
from fingerprint.sketches.shingling import (
    Sketches,
    containment,
    mod_containment,
    mod_resemblance,
    resemblance,
    shingles,
)
from moss.cli import main
from submissions.archive.corpora import (
    Estimate,
    index_sketches,
    near_fingerprints,
    query_corpus,
    shared_values,
    sharing_features,
)
from submissions.archive.models import Corpus, CorpusDocument, CorpusSweep, CorpusText
from submissions.archive.signatures import (
    MAX_DEPTH,
    RECIPE,
    Recipe,
    compute_signatures,
    decode_document,
    html_text,
    read_documents,
    token_kinds,
)
from submissions.work.locks import Work
from tests.conftest import wait_until
from tests.fingerprint import naive
from tests.moss.check.test_check import folder

WORDS = "".join(chr(97 + i) + "aeiou"[j] + " " for i in range(26) for j in range(5)).split()


PAGE = """<!doctype html><html><head><title>{title}</title><script>var {title} = 1;</script></head>
<body><p>{text}</p></body></html>"""


CODE = """def f{n}(values):
    total = {n}
    for value in values:
        total += value
    return total

"""


def prose(seed: int, words: int = 400) -> str:
    """Return sentences of made-up words, which differ for each seed."""
    chosen = random.Random(seed).choices([a + b for a in WORDS for b in WORDS], k=words)
    return " ".join(word + "." * (index % 11 == 10) for index, word in enumerate(chosen))


def edited(text: str, word: int) -> str:
    """Return the text with the word at an index replaced."""
    words = text.split()
    return " ".join([*words[:word], "unheard", *words[word + 1 :]])


def moss(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["corpus", *map(str, arguments)], catch_exceptions=False)


def run_json(*arguments: str | Path) -> Any:
    result = moss(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def error_output(*arguments: str | Path) -> str:
    result = moss(*arguments)
    assert result.exit_code in {1, 2}
    assert "Traceback" not in result.output
    return result.output


@pytest.fixture
def archive(db: None, tmp_path: Path) -> Path:
    """Return a folder of essays, copies, a page and a program, which are all in the corpus."""
    essay = prose(1)
    root = folder(
        tmp_path / "archive",
        {
            "copy/essay.txt": essay,
            "essay.txt": essay,
            "excerpt.txt": " ".join(essay.split()[100:220]),
            "near.txt": edited(essay, 200),
            "other.txt": prose(2),
            "page.html": PAGE.format(title="page", text=prose(3).replace(" ", "\n<b>", 3)),
            "program.py": "".join(CODE.format(n=n) for n in range(20)),
            "shouted.txt": essay.upper().replace(".", " !"),
        },
    )
    run_json("add", root)
    return root


def test_a_second_sweep_reads_only_what_changed(archive: Path) -> None:
    before = CorpusText.objects.count()
    (archive / "other.txt").write_text(prose(9))
    (archive / "late.txt").write_text(prose(2))
    added = run_json("add", archive)
    assert (added["sweep"], added["new"], added["unchanged"]) == (2, 1, 7)
    assert added["identical"] == [{"name": "late.txt", "same_as": "other.txt"}]
    assert CorpusText.objects.count() == before + 1


def test_an_archive_is_added_as_its_folder_is(archive: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.tar.gz"
    subprocess.run(["tar", "-czf", packed, "-C", archive, "."], check=True)
    assert run_json("add", packed, "--name", "packed")["new"] == 7
    assert moss("cluster", "--name", "packed").stdout == moss("cluster").stdout


def test_clusters_hold_near_copies_and_every_kind_of_duplicate(archive: Path) -> None:
    (cluster,) = run_json("cluster")["clusters"]
    same = {member["document"]: member["same"] for member in cluster}
    assert same == {
        "copy/essay.txt": "identical",
        "essay.txt": "identical",
        "near.txt": "",
        "shouted.txt": "same tokens",
    }


@pytest.mark.long
def test_a_document_of_two_sweeps_counts_once_and_its_new_version_as_another(archive: Path) -> None:
    (archive / "other.txt").write_text(edited(prose(2), 7))
    run_json("add", archive)
    clusters = run_json("cluster")["clusters"]
    assert [len(cluster) for cluster in clusters] == [4, 2]
    versions = [(m["document"], m["first_sweep"], m["last_sweep"]) for m in clusters[1]]
    assert versions == [("other.txt", 1, 1), ("other.txt", 2, 2)]
    assert {(m["first_sweep"], m["last_sweep"]) for m in clusters[0]} == {(1, 2)}


def test_a_higher_threshold_takes_near_copies_apart(archive: Path) -> None:
    (cluster,) = run_json("cluster", "--threshold", "1")["clusters"]
    assert [member["document"] for member in cluster] == ["copy/essay.txt", "essay.txt", "shouted.txt"]


def exact(left: Path, right: Path) -> tuple[float, float, float]:
    sets = [shingles(token_kinds(decode_document(path.name, path.read_bytes())), RECIPE.w) for path in (left, right)]
    return resemblance(*sets), containment(*sets), containment(*reversed(sets))


def test_a_query_estimates_within_three_errors_of_the_exact_numbers(archive: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.txt"
    new.write_text(f"{prose(5, 300)} {' '.join(prose(1).split()[:250])}")
    matches = {match["document"]: match for match in run_json("query", new, "--least", "0.01")["matches"]}
    assert {"essay.txt", "near.txt", "excerpt.txt"} <= matches.keys()
    for name in ("essay.txt", "near.txt", "excerpt.txt"):
        exact_values = exact(new, archive / name)
        estimates = [matches[name][measure] for measure in ("resemblance", "containment", "contained")]
        sampled = len(shingles(token_kinds(decode_document(name, (archive / name).read_bytes())), RECIPE.w)) / RECIPE.m
        for estimate, exact_value in zip(estimates, exact_values, strict=True):
            standard_error = (exact_value * (1 - exact_value) / sampled) ** 0.5
            assert abs(estimate - exact_value) <= 3 * standard_error


def test_the_best_match_comes_first_and_says_what_it_is(archive: Path) -> None:
    matches = run_json("query", archive / "excerpt.txt")["matches"]
    assert [m["document"] for m in matches[:1]] == ["excerpt.txt"]
    assert (matches[0]["same"], matches[0]["containment"]) == ("identical", 1)
    rest = {m["document"]: m for m in matches[1:]}
    assert rest.keys() == {"copy/essay.txt", "essay.txt", "near.txt", "shouted.txt"}
    assert rest["essay.txt"]["containment"] == 1
    assert rest["essay.txt"]["contained"] < 0.5
    keys = [(m["containment"], m["resemblance"]) for m in matches]
    assert keys == sorted(keys, reverse=True)


@pytest.mark.long
def test_a_document_too_short_for_a_shingle_is_found_by_its_tokens(archive: Path, tmp_path: Path) -> None:
    run_json("add", folder(tmp_path / "short", {"note.txt": "Meet me at noon."}))
    (match,) = run_json("query", folder(tmp_path / "new", {"x.txt": "meet me -- at NOON"}))["matches"]
    assert (match["document"], match["same"]) == ("note.txt", "same tokens")


def test_near_copies_say_by_which_method_they_were_found(archive: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.txt"
    new.write_text(edited(prose(2), 390))
    (copy,) = run_json("near", new, "--distance", "6")["copies"]
    assert (copy["document"], copy["same"]) == ("other.txt", "")
    assert copy["by"] == ["features", "simhash"]
    assert copy["features"] >= RECIPE.r
    assert 0 < copy["distance"] <= 6
    (copy,) = run_json("near", new, "--distance", "0")["copies"]
    assert (copy["by"], copy["distance"]) == (["features"], None)


def test_a_page_is_known_by_its_text_and_not_by_its_markup(archive: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.html"
    new.write_text(f"<html><body><h1>page</h1><div id=x>{prose(3)}<style>p {{}}</style></div></body></html>")
    (match,) = run_json("query", new)["matches"]
    assert (match["document"], match["same"]) == ("page.html", "same tokens")


def test_renamed_code_is_the_same_tokens(archive: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.py"
    new.write_text((archive / "program.py").read_text().replace("total", "amount"))
    (match,) = run_json("query", new)["matches"]
    assert (match["document"], match["same"]) == ("program.py", "same tokens")


def test_many_new_documents_are_answered_as_each_alone(archive: Path, tmp_path: Path) -> None:
    root = folder(tmp_path / "new", {f"{n}.txt": edited(prose(n % 4), n) + "\n" + CODE.format(n=n) for n in range(8)})
    together = query_corpus("default", read_documents(root)[0])
    alone = [match for n in range(8) for match in query_corpus("default", read_documents(root / f"{n}.txt")[0])]
    assert together == alone
    assert len(together) >= 8


def test_a_corpus_of_another_version_has_to_be_made_again(archive: Path) -> None:
    Corpus.objects.update(recipe=RECIPE.key + "0")
    for command in ("add", "query", "near"):
        assert "drop default` and add its documents again" in error_output(command, archive)
    assert "another version" in error_output("cluster")
    assert moss("drop", "default").exit_code == 0
    assert run_json("add", archive)["new"] == 7


@pytest.mark.long
def test_a_text_of_another_front_end_version_is_not_compared(archive: Path) -> None:
    CorpusText.objects.filter(kind="code").update(profile="code-python.0")
    assert "code-python.0" in error_output("query", archive / "program.py")


def test_an_unknown_and_an_empty_corpus_are_refused_by_name(archive: Path) -> None:
    assert "'nowhere' (there are: default)" in error_output("query", archive, "--name", "nowhere")
    assert "nowhere" in error_output("drop", "nowhere")
    Corpus.objects.create(name="hollow", recipe=RECIPE.key)
    assert "'hollow' holds no document" in error_output("cluster", "--name", "hollow")


def test_a_corpus_is_listed_and_dropped_with_its_documents(archive: Path) -> None:
    (listed,) = run_json("list")
    assert listed == {"name": "default", "recipe": RECIPE.key, "sweeps": 1, "documents": 8, "texts": 7}
    assert moss("drop", "default").exit_code == 0
    assert run_json("list") == []
    assert not CorpusDocument.objects.exists()


def test_tables_name_what_was_found(archive: Path) -> None:
    expected = {
        ("add", str(archive)): "8 unchanged",
        ("cluster",): "shouted.txt",
        ("query", str(archive / "near.txt")): "of new in stored",
        ("near", str(archive / "near.txt")): "features and simhash",
        ("list",): RECIPE.key,
    }
    for arguments, text in expected.items():
        assert text in moss(*arguments).stdout


def test_unreadable_documents_are_named_with_reasons_and_others_added(db: None, tmp_path: Path) -> None:
    root = folder(
        tmp_path / "mixed",
        {
            "a.txt": prose(1),
            "b.bin": b"\0\1\2\xff" * 400,
            "deep.html": "<div>" * 6000 + "x",
            "empty.txt": b"",
        },
    )
    added = run_json("add", root)
    assert added["new"] == 1
    reasons = {entry["name"]: entry["reason"] for entry in added["skipped"]}
    assert reasons.keys() == {"b.bin", "deep.html", "empty.txt"}
    assert "5,000 deep" in reasons["deep.html"]
    assert all(reasons.values())


@pytest.mark.parametrize(
    "arguments",
    [("cluster", "--threshold", "0"), ("cluster", "--threshold", "1.5"), ("near", ".", "--distance", "7")],
)
def test_a_number_out_of_range_is_refused(db: None, arguments: Sequence[str]) -> None:
    assert arguments[-1].rstrip("0").rstrip(".") in error_output(*arguments)


def test_an_error_that_no_reader_is_known_to_raise_fails_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def identify(*_: object) -> None:
        raise SystemError("unheard of")

    monkeypatch.setattr("submissions.archive.signatures.identify", identify)
    with pytest.raises(Unreadable, match=r"the lexer failed \(SystemError: unheard of\)"):
        decode_document("a.py", b"x = 1\n")


SKETCHES = st.lists(st.sets(st.integers(0, 12), max_size=8), max_size=6)


def arrays(sketches: list[set[int]]) -> list[np.ndarray[tuple[int], np.dtype[np.uint64]]]:
    return [np.array(sorted(sketch), dtype=np.uint64) for sketch in sketches]


@given(SKETCHES, SKETCHES)
def test_shared_values_are_those_of_the_sets(new: list[set[int]], stored: list[set[int]]) -> None:
    shared = shared_values(index_sketches(arrays(new)), Sketches.from_sketches(arrays(stored)))
    rows = sorted(zip(*(column.tolist() for column in shared), strict=True))
    assert rows == [(i, j, len(a & b)) for i, a in enumerate(new) for j, b in enumerate(stored) if a & b]


@given(st.sets(st.integers(0, 12), min_size=1), st.sets(st.integers(0, 12), min_size=1))
def test_an_estimate_is_that_of_the_engine(new: set[int], stored: set[int]) -> None:
    a, b = arrays([new, stored])
    estimate = Estimate.from_sizes(len(new & stored), len(new), len(stored))
    assert estimate == (mod_resemblance(a, b), mod_containment(a, b), mod_containment(b, a))


@given(st.lists(st.integers(0, 2), min_size=3, max_size=3), st.integers(1, 3), st.data())
def test_features_are_counted_place_by_place(query: list[int], r: int, data: st.DataObject) -> None:
    features = st.lists(st.integers(0, 2), min_size=3, max_size=3)
    stored = data.draw(st.lists(features, max_size=5))
    table = np.array(stored, dtype=np.uint64).reshape(-1, 3)
    rows, counts = sharing_features(np.array(query, dtype=np.uint64), table, r)
    naive_counts = [sum(a == b for a, b in zip(query, other, strict=True)) for other in stored]
    assert dict(zip(rows.tolist(), counts.tolist(), strict=True)) == {
        row: count for row, count in enumerate(naive_counts) if count >= r
    }


@given(st.integers(0, 6), st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4), st.data())
def test_every_simhash_within_any_covered_distance_is_found(
    distance: int, stored: list[int], data: st.DataObject
) -> None:
    bits = data.draw(st.sets(st.integers(0, 63), max_size=8))
    query = [stored[0] ^ sum(1 << bit for bit in bits)]
    near = near_fingerprints(np.array(query, np.uint64), np.array(stored, np.uint64), distance)
    rows = sorted(zip(*(column.tolist() for column in near), strict=True))
    assert rows == naive.near(query, stored, distance)


@pytest.mark.parametrize("distance", [-1, 7])
def test_a_distance_that_is_not_covered_is_refused(distance: int) -> None:
    none = np.empty(0, dtype=np.uint64)
    with pytest.raises(ValueError, match=f"distance is {distance}; 0 to 6"):
        near_fingerprints(none, none, distance)


@pytest.mark.parametrize("tokens", [0, 1, RECIPE.gram - 1, RECIPE.gram, RECIPE.w - 1, RECIPE.w])
def test_a_document_of_any_length_has_the_signatures_that_its_length_allows(tokens: int) -> None:
    signatures = compute_signatures(np.arange(tokens, dtype=np.uint64))
    assert signatures.tokens == tokens
    assert len(signatures.features) == (RECIPE.k if tokens >= RECIPE.w else 0)
    assert (signatures.simhash is None) == (tokens < RECIPE.gram)


def test_different_programs_are_not_near_copies() -> None:
    modules = (argparse, csv, difflib, heapq, textwrap)
    sources = [Path(module.__file__).read_bytes() for module in modules if module.__file__]
    simhashes = [
        compute_signatures(token_kinds(decode_document("module.py", source))).simhash or 0 for source in sources
    ]
    assert len(simhashes) == len(modules)
    assert all((a ^ b).bit_count() > 6 for a, b in combinations(simhashes, 2))


def test_recipes_with_other_parameters_have_other_keys() -> None:
    others = [Recipe(w=9), Recipe(m=5), Recipe(k=7), Recipe(s=13), Recipe(gram=2)]
    assert len({recipe.key for recipe in [RECIPE, *others]}) == 6


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<title>T</title><div>He<b>llo</b> wor<!-- c -->ld</div>", "T\nHello world"),
        ("<table><tr><td>a<td>b</table>c<br>d", "a\nb\nc\nd"),
        ("<ul><li>a<li>b</ul><p>c<p>d", "a\nb\nc\nd"),
        ("x<script>var y</script><style>p {}</style><template>t</template><noscript>n</noscript>", "x"),
        ("&amp;&eacute;&#x1F600;&nosuch;", "&é😀&nosuch;"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_the_text_of_a_page_is_what_a_reader_sees(markup: str, text: str) -> None:
    assert html_text(markup) == text


def test_words_never_run_together_across_blocks_nor_part_within_a_word() -> None:
    page = "<div>one<p>two<span>three</span></p>four<hr>five<i>six</i></div>seven"
    assert html_text(page).split() == ["one", "twothree", "four", "fivesix", "seven"]


@pytest.mark.parametrize("markup", ["<div>", "<div></x>", "<DIV\n>", "<a><b><i>"])
def test_a_page_nested_too_deep_is_refused_before_it_is_parsed(markup: str) -> None:
    with pytest.raises(ValueError, match=f"{MAX_DEPTH:,} deep"):
        html_text(markup * (MAX_DEPTH + 1) + "x")


def test_a_long_page_of_flat_or_closed_elements_is_read() -> None:
    assert len(html_text("<p>a<br><div>b</div><li>c" * (MAX_DEPTH + 1)).split()) == 4 * MAX_DEPTH - MAX_DEPTH + 3


DOCUMENTS = 2000


LOCK = "LOCK TABLE corpus_corpusdocument IN SHARE MODE"


WAITING_LOCKS = """
SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE NOT granted AND datname = current_database() AND relation = 'corpus_corpusdocument'::regclass
"""


def database_url() -> str:
    return urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


def start_adding(root: Path, name: str, *options: str) -> subprocess.Popen[str]:
    # Tests that run in the background ignore SIGINT, and children would inherit that.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "moss", "corpus", "add", str(root)]
    return subprocess.Popen(
        [*command, "--name", name, "--json", *options],
        env={**os.environ, "DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.settings"},
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def stored(name: str) -> list[Any]:
    """Return the rows of a corpus without their primary keys."""
    fields = ("name", "sha256", "reason", "text__digest", "text__sketch", "text__features", "text__simhash")
    documents = CorpusDocument.objects.filter(sweep__corpus__name=name)
    return [
        tuple(bytes(value) if isinstance(value, memoryview) else value for value in row)
        for row in documents.order_by("name").values_list("sweep__number", *fields)
    ]


def waiting_locks() -> int:
    with connection.cursor() as cursor:
        cursor.execute(WAITING_LOCKS)
        return int(cursor.fetchone()[0])


@pytest.mark.long
@pytest.mark.usefixtures("transactional_db")
def test_a_sweep_that_was_stopped_and_resumed_ends_as_an_uninterrupted_one(tmp_path: Path) -> None:
    documents: dict[str, str | bytes] = {f"{n:04}.txt": prose(n, 300) for n in range(DOCUMENTS)}
    documents |= {"0001 again.txt": prose(1, 300), "1999 binary.txt": b"\0\1\2\xff" * 400}
    root = folder(tmp_path / "many", documents)
    with connect(database_url()) as first, connect(database_url()) as second, ThreadPoolExecutor(1) as thread:
        # Locks are granted in turn: the sweep writes documents once, between the two, however slow this is.
        first.execute(LOCK)
        stopped = start_adding(root, "stopped")
        wait_until(lambda: waiting_locks() == 1, what="the sweep")
        locked = thread.submit(second.execute, LOCK)
        wait_until(lambda: waiting_locks() == 2, what="the second lock")
        first.commit()
        locked.result(60)
        stopped.send_signal(signal.SIGINT)
    output, errors = stopped.communicate(timeout=60)
    assert (stopped.returncode, output) == (130, ""), errors
    assert "run the same command to continue" in errors
    assert CorpusSweep.objects.get().finished is None
    before = dict(CorpusDocument.objects.values_list("name", "pk"))
    assert 0 < len(before) < DOCUMENTS

    resumed = run_json("add", root, "--name", "stopped")
    assert resumed["resumed"]
    assert before.items() <= dict(CorpusDocument.objects.values_list("name", "pk")).items()
    whole = run_json("add", root, "--name", "whole")
    assert resumed | {"corpus": "whole", "resumed": False} == whole
    assert (whole["new"], len(whole["identical"]), len(whole["skipped"])) == (DOCUMENTS, 1, 1)
    assert stored("stopped") == stored("whole")


def test_documents_that_changed_while_a_sweep_was_stopped_are_read_again(db: None, tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", {f"{n}.txt": prose(n) for n in range(4)})
    run_json("add", root)
    CorpusSweep.objects.update(finished=None)
    (root / "0.txt").write_text(edited(prose(0), 5))
    (root / "1.txt").unlink()
    run_json("add", root)
    run_json("add", root, "--name", "fresh")
    assert stored("default") == stored("fresh")


def test_only_one_process_adds_to_a_corpus(db: None, tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", {"a.txt": prose(1)})
    corpus = Corpus.objects.create(name="default", recipe=RECIPE.key)
    with connect(database_url(), autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s::int, %s::int)", [Work.CORPUS, corpus.pk])
        assert "another process is adding to corpus 'default'" in error_output("add", root)
    assert run_json("add", root)["new"] == 1


def test_with_json_nothing_but_json_is_written(db: None, tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", {"a.txt": prose(1), "\u202eevil.txt": prose(2)})
    run_json("add", root)
    assert json.loads(json.dumps(run_json("cluster"))) == {
        "corpus": "default",
        "threshold": 0.5,
        "clusters": [],
    }

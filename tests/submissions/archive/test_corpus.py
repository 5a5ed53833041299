"""Screening an archive: documents that were added are found again by their content."""

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fingerprint.sketches.shingling import containment, resemblance, shingles
from moss.cli import main
from submissions.archive.models import Corpus, CorpusDocument, CorpusText
from submissions.archive.screening import query_corpus
from submissions.archive.signatures import RECIPE, decode_document, read_documents, token_kinds
from tests.moss.check.test_check import folder

pytestmark = pytest.mark.services

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


@pytest.mark.long
def test_every_document_is_added_and_identical_ones_are_named(archive: Path) -> None:
    added = run_json("add", archive, "--name", "second")
    assert added == {
        "corpus": "second",
        "sweep": 1,
        "resumed": False,
        "new": 7,
        "unchanged": 0,
        "identical": [{"name": "essay.txt", "same_as": "copy/essay.txt"}],
        "skipped": [],
    }
    kinds = CorpusText.objects.filter(corpus__name="second").values_list("kind", flat=True)
    assert sorted(kinds) == ["code", "html", "prose", "prose", "prose", "prose", "prose"]


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
    sets = [
        shingles(token_kinds(decode_document(path.name, path.read_bytes())), RECIPE.w)
        for path in (left, right)
    ]
    return resemblance(*sets), containment(*sets), containment(*reversed(sets))


def test_a_query_estimates_within_three_standard_errors_of_the_exact_numbers(
    archive: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new.txt"
    new.write_text(f"{prose(5, 300)} {' '.join(prose(1).split()[:250])}")
    matches = {match["document"]: match for match in run_json("query", new, "--least", "0.01")["matches"]}
    assert {"essay.txt", "near.txt", "excerpt.txt"} <= matches.keys()
    for name in ("essay.txt", "near.txt", "excerpt.txt"):
        exact_values = exact(new, archive / name)
        estimates = [matches[name][measure] for measure in ("resemblance", "containment", "contained")]
        sampled = (
            len(shingles(token_kinds(decode_document(name, (archive / name).read_bytes())), RECIPE.w))
            / RECIPE.m
        )
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
    root = folder(
        tmp_path / "new", {f"{n}.txt": edited(prose(n % 4), n) + "\n" + CODE.format(n=n) for n in range(8)}
    )
    together = query_corpus("default", read_documents(root)[0])
    alone = [
        match for n in range(8) for match in query_corpus("default", read_documents(root / f"{n}.txt")[0])
    ]
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

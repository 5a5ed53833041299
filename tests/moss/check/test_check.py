import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner, Result

from moss.check import readings
from moss.check.outputs import answer_of
from moss.check.rank import RankingOptions, rank_path
from moss.check.readings import ReadJob
from moss.cli import main
from moss.commands.service import planted_pairs
from moss.sample import SAMPLE
from submissions.matches.ranked_pairs import PairRow
from tests.support.archives import ARCHIVE_WRITERS, zipped as zip_of
from tests.support.html import Page
from tests.support.programs import program, renamed, windows
from tests.support.rewritten import ORIGINAL, REWRITTEN
from tests.support.sample_class import CLASS, HONEST, STARTER, zipped

pytestmark = pytest.mark.slow

SHARES = "left_without_common,right_without_common"
FIGURES = f"similarity,left_share,right_share,tokens,lines,longest,mark,{SHARES}"
COLUMNS = f"left,right,{FIGURES},flag"


def folder(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def check(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


def rows(*arguments: str | Path) -> list[PairRow]:
    result = check(*arguments, "--format", "csv")
    assert result.exit_code == 0, result.output
    head, *lines = csv.reader(io.StringIO(result.stdout))
    assert ",".join(head) == COLUMNS
    return [
        PairRow._make([left, right, *map(float, rest), mark, *map(float, without_common), flag])
        for left, right, *rest, mark, left_without_common, right_without_common, flag in lines
        for without_common in [(left_without_common, right_without_common)]
    ]


def test_the_top_pairs_of_the_sample_class_are_the_planted_ones() -> None:
    starter = [part for file in sorted((SAMPLE / "starter").iterdir()) for part in ("-b", file)]
    ranked = rows(SAMPLE / "submissions", *starter)
    key = planted_pairs()
    assert {(row.left, row.right) for row in ranked[: len(key)]} == key.keys()


def test_a_folder_and_a_zip_of_it_give_the_same_pairs(tmp_path: Path) -> None:
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped(CLASS).read())
    assert rows(folder(tmp_path / "class", CLASS)) == rows(archive) != []


def test_a_renamed_copy_has_a_share_of_one_once_the_starter_is_boilerplate(tmp_path: Path) -> None:
    starter = folder(tmp_path, {"starter.py": STARTER}) / "starter.py"
    (pair,) = rows(folder(tmp_path / "class", CLASS), "-b", starter)
    assert (pair.left, pair.right, pair.left_share, pair.right_share) == ("ada", "ben", 1, 1)
    assert 1 / 1.2 <= pair.similarity < 1
    assert pair.longest == pair.tokens


@pytest.mark.parametrize("name", ["starter", "starter.zip", "starter.tar.gz"])
def test_boilerplate_may_be_a_folder_or_an_archive(name: str, tmp_path: Path) -> None:
    files = {"part/starter.py": STARTER.encode(), "part/picture.png": b"\x89PNG\r\n", "notes.md": b"# Task\n"}
    root = folder(tmp_path / "starter", files)
    if name != "starter":
        write = zip_of if name.endswith(".zip") else ARCHIVE_WRITERS["class.tar.gz"]
        (tmp_path / name).write_bytes(write(files))
    result = check(folder(tmp_path / "class", CLASS), "-b", tmp_path / name, "--format", "csv")
    alone = check(tmp_path / "class", "-b", root / "part" / "starter.py", "--format", "csv")
    assert result.stdout == alone.stdout != ""
    assert f"skipped {tmp_path / name}: " in result.stderr
    assert "part/picture.png: it is a PNG image, not a text file" in result.stderr


def test_many_files_that_are_skipped_for_one_reason_take_one_line(tmp_path: Path) -> None:
    pictures = {f"ada/{n}.txt": b"a" * n + b"\0b" for n in (3, 5, 7, 9)}
    root = folder(tmp_path, {**CLASS, **pictures, "ben/README.json": b"{}"})
    skipped = [line for line in check(root).stderr.splitlines() if line.startswith("skipped")]
    assert len(skipped) == 2
    assert any(line.startswith("skipped 4 files, such as ada/3.txt: it holds a NUL byte") for line in skipped)
    assert any(line.startswith("skipped ben/README.json: text or data beside a program") for line in skipped)
    every = [line for line in check(root, "-v").stderr.splitlines() if line.startswith("skipped")]
    assert len(every) == 5
    assert any(line.startswith("skipped ada/5.txt: it holds a NUL byte (at offset 5)") for line in every)


def test_folders_are_counted_as_folders_and_shares_of_control_characters_do_not_split_a_reason(
    tmp_path: Path,
) -> None:
    modules = {f"ada/{n}/node_modules/left-pad/index.js": b"x = 1\n" for n in range(4)}
    data = {f"ben/{n}.txt": b"a" * n + b"\x01" * 9 for n in (3, 5, 7, 9)}
    errors = check(folder(tmp_path, {**CLASS, **modules, **data})).stderr.splitlines()
    assert "skipped 4 folders, such as ada/0/node_modules/: downloaded packages" in errors
    assert "skipped 4 files, such as ben/3.txt: it holds control characters" in errors
    assert errors.count("(-v names each of them.)") == 1


def test_all_lists_pairs_that_show_hides(tmp_path: Path) -> None:
    files = {f"s{n}/main.py": STARTER + f"\nx{n} = {n}\n" for n in range(4)}
    root = folder(tmp_path, files)
    assert len(rows(root, "--show", "2")) == 2
    assert len(rows(root, "--all")) == 6


def test_code_in_more_submissions_than_m_counts_in_no_percentage(tmp_path: Path) -> None:
    files = {f"s{n}/main.py": STARTER + f"\nx{n} = {n}\n" for n in range(4)}
    root = folder(tmp_path, files)
    assert all(row.tokens > 0 for row in rows(root, "-m", "4"))
    common = rows(root, "-m", "3")
    assert len(common) == 6
    assert {(*row[5:8], *row[9:11]) for row in common} == {(0, 0, 0, 0, 0)}
    assert all(min(row.left_share, row.right_share) > 0 for row in common)
    assert check(root, "-m", "3").stdout.count("common code only") == 6
    html = check(root, "-m", "3", "--format", "html").stdout
    assert html.count("common code only") == 6
    assert "tokens, common code, the whole also in up to 2 others" in " ".join(html.split())
    assert "common code only" not in check(root, "-m", "4").stdout


def test_csv_for_excel_separates_as_its_language_does(tmp_path: Path) -> None:
    plain = rows(folder(tmp_path, CLASS))
    for language, separator, decimal in (("en", ",", "."), ("de", ";", ",")):
        text = check(tmp_path, "--format", f"excel-{language}").stdout
        head, *lines = csv.reader(io.StringIO(text.removeprefix("\ufeff")), delimiter=separator)
        assert text.startswith("\ufeff")
        assert head == COLUMNS.split(",")
        assert [(left, right, float(score.replace(decimal, "."))) for left, right, score, *_ in lines] == [
            row[:3] for row in plain
        ]


@pytest.mark.parametrize(("here", "home"), [("elsewhere", False), ("class", True), ("class/ada", True)])
def test_the_page_that_is_opened_is_written_beside_the_class_and_never_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str, *, home: bool
) -> None:
    root, opened = folder(tmp_path / "class", CLASS), list[str]()
    for name in ("elsewhere", "home"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / here)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("webbrowser.open", opened.append)
    result = check(root, "--open")
    page = tmp_path / ("home" if home else here) / "moss-class.html"
    assert page.read_text().startswith("<!doctype html>")
    assert opened == [page.as_uri()]
    assert f"The page is {page}.\nNo browser can be started here: open it yourself.\n" in result.stderr


def test_html_begins_with_the_pairs_to_read_and_has_them_and_the_best_of_each_submission(
    tmp_path: Path,
) -> None:
    files = {f"s{n}/main.py": program(Random(n)) for n in range(9)}
    copies = {f"s{n}/main.py": renamed(program(Random(0))) for n in (9, 10)}
    root = folder(tmp_path / "class", {**files, **copies})
    result = check(root, "--format", "html")
    page = Page(result.stdout)
    assert page.text("#report-heading") == "3 pairs to read 8 of 11 submissions are in none of them"
    assert len(page.all(".to-read li")) == 3
    assert page.all("details[open]") == []
    best: dict[str, float] = {}
    ranked = rows(root, "--all")
    for row in ranked:
        for name in row[:2]:
            best[name] = max(best.get(name, 0), row.similarity)
    expected = {row[:2] for row in ranked if row.similarity in {best[row.left], best[row.right]}}
    names = [tuple(re.findall(r"s\d+", summary)) for summary in page.texts(".pairs-of summary")]
    assert {*names[:3]} == {row[:2] for row in ranked[:3]} == set(combinations(["s0", "s10", "s9"], 2))
    assert {*names} == expected | {*names[:3]}
    assert page.text(".cases li").startswith("s0, s10, s9:")
    anchors = {node.attributes["id"] for node in page.all("[id]")}
    assert {str(node.attributes["href"]) for node in page.all("a")} <= {f"#{anchor}" for anchor in anchors}
    assert len(result.stdout) < max(10 * sum(map(len, {**files, **copies}.values())), 340_000)


def test_more_pairs_to_read_than_are_ranked_are_not_counted(tmp_path: Path) -> None:
    copies = {f"copy{n}/main.py": renamed(program(Random(0))) for n in range(23)}
    honest = {f"s{n}/main.py": program(Random(n)) for n in range(1, 30)}
    root = folder(tmp_path, {**copies, **honest})
    to_read = len(list(combinations(copies, 2)))
    answer, more, *_ = check(root).stderr.splitlines()
    assert answer == "At least 250 pairs to read: --top N ranks more."
    assert more.startswith(f"{52 * 51 // 2 - 250:,} more pairs: list them")
    told = f"{to_read} pairs to read; 29 of 52 submissions are in none of them."
    assert check(root, "--top", "400").stderr.splitlines()[0] == told
    page = check(root, "--format", "html")
    assert page.stderr.splitlines()[0] == told
    listed = int(re.findall(r"of (\d+) pairs are shown", page.stderr)[0])
    assert f"{52 * 51 // 2 - listed:,} more pairs: list them" in page.stderr
    short = Page(check(root, "--format", "html", "--top", "5").stdout)
    assert short.text("#report-heading") == "At least 5 pairs to read --top N ranks more"


@pytest.mark.parametrize("option", ["earlier", "solutions", ""])
def test_what_is_said_of_a_ranking_that_is_cut_is_true_of_all_pairs(tmp_path: Path, option: str) -> None:
    copies = {f"copy{n}/main.py": renamed(program(Random(0))) for n in range(5)}
    honest = {f"s{n}/main.py": program(Random(n)) for n in range(1, 8)}
    parts = {f"part{n}/main.py": program(Random(9 - n))[:900] + program(Random(n + 20)) for n in range(4)}
    java = "class Main {{ int f(int n) {{ int s = {0}; while (n > {0}) {{ s += n * {0}; n--; }} return s; }} }}\n"
    others = {f"java{n}/Main.java": java.format(n) for n in range(2)}
    root = folder(tmp_path / "class", {**copies, **honest, **parts, **others})
    old = folder(tmp_path / "old", {f"o{n}/main.py": renamed(program(Random(n))) for n in (0, 0, 1, 30)})
    options = RankingOptions(show=10_000, earlier=(old,) * (option == "earlier"))
    report = rank_path(root, replace(options, solutions=(old,) * (option == "solutions")))
    every, pairs = answer_of(report), len(report.ranking.units)
    assert pairs == every.total > 60
    assert not every.is_cut
    for most in range(1, pairs):
        answer = answer_of(replace(report, ranking=report.ranking.take(np.arange(most))))
        assert answer.total == pairs
        assert answer.more(most).startswith(f"{pairs - most} more pair")
        least = " pair to read: --top N ranks more." if answer.to_read == 1 else " pairs to read: --top N ranks more."
        if answer.is_cut:
            assert answer.lines(most)[0] == f"At least {answer.to_read}{least}"
        else:
            assert answer.heading == every.heading
        assert answer.to_read <= every.to_read
        assert answer.bands in {every.bands, ""}
        said = [line for line in answer.lines(most) if "below the threshold with" in line]
        assert all(line.startswith("At least ") for line in said)


@pytest.mark.parametrize(
    ("whole", "listed", "ending"),
    [
        (1, None, "1 pair below the threshold with {}; listed next."),
        (2, 5, "2 pairs below the threshold with {}; listed next."),
        (2, 4, "2 pairs below the threshold with {}; look at them."),
        (1, 0, "1 pair below the threshold with {}; look at it."),
    ],
)
def test_whole_pairs_below_the_threshold_are_said_to_be_listed_where_they_are(
    whole: int, listed: int | None, ending: str
) -> None:
    answer = answer_of(rank_path(SAMPLE / "submissions", RankingOptions(show=10_000)))
    answer = answer._replace(to_read=3, whole=whole, is_cut=False)
    what = "an identical file, or one side nearly whole in shared passages"
    assert answer.lines(listed)[-1] == ending.format(what)


def test_whole_pairs_below_the_threshold_are_not_to_be_looked_at_where_programs_of_the_task_are_alike(
    tmp_path: Path,
) -> None:
    alike = {f"s{number}/m.py": windows(Random(number)) for number in range(10)}
    assert answer_of(rank_path(folder(tmp_path / "alike", alike), RankingOptions())).whole == 0
    few = {name: alike[name] for name in ("s1/m.py", "s2/m.py")}
    own = {f"t{number}/m.py": program(Random(number), 9) for number in range(8)}
    assert answer_of(rank_path(folder(tmp_path / "few", few | own), RankingOptions())).whole <= 1


def test_html_is_one_file_that_loads_nothing_else(tmp_path: Path) -> None:
    hostile = STARTER + HONEST + "# </script><script>alert(1)</script>\nx = '<img src=x onerror=alert(1)>'\n"
    root = folder(tmp_path / "class", {"a/m.py": hostile, "b<i>/m.py": hostile})
    check(root, "--format", "html", "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert [
        part for part in ("<script", "<img", "<link", ' src="', "b<i>", "http://", "https://") if part in page
    ] == []


def test_the_name_of_the_output_chooses_its_format_unless_one_is_given(tmp_path: Path) -> None:
    root = folder(tmp_path / "class", CLASS)
    for name, options, start in (
        ("a.HTML", (), "<!doctype html>"),
        ("a.json", (), "{"),
        ("a.csv", (), "left,right,"),
        ("a.txt", (), "#  left  right"),
        ("b.html", ("--format", "json"), "{"),
    ):
        check(root, *options, "-o", tmp_path / name)
        if not options:
            check(root, "--preview", "-o", tmp_path / f"preview-{name}")
        assert (tmp_path / name).read_text().startswith(start), name


def test_the_answer_is_said_and_the_threshold_hides_nothing(tmp_path: Path) -> None:
    root = folder(tmp_path, CLASS)
    answer, bands, *_ = check(root).stderr.splitlines()
    assert answer == "1 pair to read; 1 of 3 submissions is in none of them."
    assert bands == "Ordinary up to 16%. Nobody between 16% and 96%. 1 pair of 96% stands out."
    report = json.loads(check(root, "--format", "json").stdout)
    assert report["threshold"]["value"] == 0.5
    assert min(pair["similarity"] for pair in report["pairs"]) < 0.5


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (["-l", "klingon"], "klingon", 1),
        (["-b", "nowhere.py"], "nowhere.py", 2),
        (["--earlier", "nowhere"], "nowhere", 2),
        (["-m", "0"], "0", 2),
        (["--format", "pdf"], "pdf", 2),
        (["--layout", "moodel"], "there is no layout 'moodel'; choose auto or one of: moodle, ", 2),
    ],
)
def test_a_bad_option_is_refused_by_name(tmp_path: Path, arguments: list[str], message: str, status: int) -> None:
    result = check(folder(tmp_path, CLASS), *arguments)
    assert result.exit_code == status
    assert message in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_several_paths_are_refused_with_what_to_give_instead(tmp_path: Path) -> None:
    root = folder(tmp_path, CLASS)
    result = check(*sorted(root.iterdir()))
    assert result.exit_code != 0
    assert f"these are {len(CLASS)} paths" in result.stderr
    assert "Give the folder that they are in" in result.stderr
    assert str(root) not in result.stderr


def test_a_broken_archive_is_refused_by_name(tmp_path: Path) -> None:
    broken = tmp_path / "class.zip"
    broken.write_bytes(b"PK\x03\x04 not a zip")
    result = check(broken)
    assert result.exit_code == 1
    assert "class.zip" in result.output


def test_a_source_that_was_read_before_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path / "cache"))
    root = folder(tmp_path / "class", CLASS)
    cold = check(root, "--format", "json").stdout
    monkeypatch.setattr("moss.check.readings.read", None)
    assert check(root, "--format", "json").stdout == cold
    (root / "ada" / "main.py").write_text(HONEST)
    assert "skipped ada/main.py: the lexer failed (TypeError)" in check(root).stderr


def test_the_error_about_a_damaged_cache_says_how_to_turn_it_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path))
    (tmp_path / "readings.sqlite3").write_bytes(b"not a database" * 100)
    result = check(folder(tmp_path / "class", CLASS))
    assert result.exit_code == 1
    assert "MOSS_CACHE=off" in result.output


def test_children_read_what_one_process_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSS_CACHE", "off")
    texts = [f"def part_{number}(x):\n    return x * {number}\n" * 9 for number in range(40)]
    jobs = [ReadJob(f"{number}.py", text.encode(), "python") for number, text in enumerate(texts)]
    jobs[7] = jobs[7]._replace(data=b"\0\1\2" * 99)
    kinds = []
    for fewest in (readings.FEWEST_BYTES, 1):
        monkeypatch.setattr(readings, "FEWEST_BYTES", fewest)
        results = readings.read_files(jobs, lambda: None)
        kinds.append([one if isinstance(one, str) else one.tokens.kinds.tolist() for one in results])
    assert kinds[0] == kinds[1]
    assert isinstance(kinds[0][7], str)


def test_the_library_of_kernels_is_loaded_before_the_children_read_and_what_few_need_never(
    tmp_path: Path,
) -> None:
    accents = {"eve/main.py": "# caf\u00e9 \u201cx\u201d \u03a9\nx = 1\n"}
    unneeded = ["numba", "numpy.ma", "pygments.lexers.dotnet", "submissions.intake.sandbox.archives"]
    unneeded += ["submissions.matches.source_html"]  # of pages alone
    unneeded += ["email", "ssl", "rich", "multiprocessing", "xml.etree", "fingerprint.languages.term_places"]
    code = (
        "import sys; from pathlib import Path; from moss.check.rank import RankingOptions, rank_path;"
        "before = [];"
        "start = lambda files: before.append('fingerprint.kernels.library' in sys.modules) or (lambda: None);"
        f"rank_path(Path({str(folder(tmp_path / 'class', CLASS | accents))!r}), RankingOptions(), start);"
        "from fingerprint.languages import lexers; lexers.lexer_class('java');"
        "import moss.check.outputs, moss.commands.tables;"
        f"print(before, 'llvmlite' in sys.modules, sorted(set({unneeded!r}) & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[True] False []"


@pytest.mark.parametrize("form", ["json", "html"])
def test_the_same_input_gives_the_same_report_in_every_process(tmp_path: Path, form: str) -> None:
    command = [sys.executable, "-m", "moss", "check", str(folder(tmp_path, CLASS)), "--format", form]
    runs = [
        subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


def test_an_export_of_a_platform_is_read_by_its_layout(tmp_path: Path) -> None:
    record = "Ada Byron_1_assignsubmission_onlinetext/onlinetext.html"
    files = {
        "Ada Byron_1_assignsubmission_file/main.py": CLASS["ada/main.py"],
        "Ben Novak_2_assignsubmission_file/main.py": CLASS["ben/main.py"],
        record: "<html><body></body></html>",
    }
    root = folder(tmp_path / "export", files)
    assert [(row.left, row.right) for row in rows(root)] == [("Ada Byron", "Ben Novak")]
    result = check(root)
    assert "Read as a Moodle export: 2 submissions.\n" in result.stderr
    assert f"skipped {record}: an online text without any text\n" in result.stderr
    chosen = check(root, "--layout", "folders")
    assert "Read as a folder or file for each student: 3 submissions.\n" in chosen.stderr


def test_json_has_the_lines_of_each_passage_and_the_part_of_each_kind_of_evidence(tmp_path: Path) -> None:
    report = json.loads(check(folder(tmp_path, CLASS), "--format", "json").stdout)
    for pair in report["pairs"]:
        assert sum(pair["evidence"].values()) == pytest.approx(pair["similarity"], abs=1e-5)
        assert all(value >= 0 for value in pair["evidence"].values())
    (passage, *_) = report["pairs"][0]["passages"]
    assert passage["left"] == {"file": "main.py", "first_line": 3, "last_line": 21, "cells": ""}
    assert passage["right"] == passage["left"]
    assert passage["submissions"] == 2


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    return folder(tmp_path / "class", {"ada.py": ORIGINAL.encode(), "ben.py": REWRITTEN.encode()})


def test_the_tables_mark_it(pair: Path) -> None:
    (row,) = csv.DictReader(io.StringIO(check(pair, "--format", "csv").stdout))
    assert (row["mark"], row["tokens"], row["longest"]) == ("no passage", "0", "0")
    assert 0 < float(row["similarity"]) < 0.5
    assert check(pair).stdout.splitlines()[1].endswith("no passage")


def test_json_has_what_is_shared_with_its_lines(pair: Path) -> None:
    report = json.loads(check(pair, "--format", "json").stdout)
    (row,) = report["pairs"]
    assert row["passages"] == []
    terms = {term["text"]: term for term in row["terms"]}
    assert terms['"boat has overstayed its berth"'] == {
        "kind": "literal",
        "text": '"boat has overstayed its berth"',
        "left": [{"file": "ada.py", "lines": [7]}],
        "right": [{"file": "ben.py", "lines": [4]}],
    }
    assert terms["import shipping_register"]["kind"] == "import"
    assert terms["find_overdue_boats"]["kind"] == "name"
    assert "overdue" not in terms


def test_the_html_file_says_that_no_passage_is_equal_and_what_is(pair: Path) -> None:
    page = Page(check(pair, "--format", "html").stdout)
    assert "These two share no passage of 9 tokens" in page.text(".pairs-of > details")
    assert "no equal passage" in page.text(".pairs-of summary")
    assert '"boat has overstayed its berth" literal ada.py, line 7 ben.py, line 4' in page.texts(".terms tr")


def test_a_pair_with_a_file_that_all_have_shares_common_code_and_not_names_alone(tmp_path: Path) -> None:
    given = program(Random(0), 3).encode()
    files = {"zoe/main.py": given} | {f"s{n}/main.py": given for n in range(1, 8)}
    files |= {f"s{n}/own.py": program(Random(n), 4).encode() for n in range(1, 8)}
    place = folder(tmp_path / "class", files)
    rows = csv.DictReader(io.StringIO(check(place, "--format", "csv", "--all").stdout))
    marks = {row["mark"] for row in rows if "zoe" in (row["left"], row["right"])}
    assert marks == {""}
    (line, *_) = [one for one in check(place, "--all").stdout.splitlines() if "zoe" in one]
    assert line.endswith("common code only")
    assert "These two share no passage" not in check(place, "--format", "html", "--all").stdout


def test_a_message_that_was_handed_out_is_not_shown_as_shared(pair: Path, tmp_path: Path) -> None:
    handed_out = tmp_path / "given.py"
    handed_out.write_text('x = "boat has overstayed its berth"\n')
    report = json.loads(check(pair, "-b", str(handed_out), "--format", "json").stdout)
    texts = [term["text"] for row in report["pairs"] for term in row["terms"]]
    assert "find_overdue_boats" in texts
    assert '"boat has overstayed its berth"' not in texts

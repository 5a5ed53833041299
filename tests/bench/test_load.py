import io
import os
import zipfile
from pathlib import Path

from bench import load_class
from bench.load_figures import section, write_section
from bench.load_readers import Step
from bench.load_site import Run, Sizes

SIZES = Sizes(submissions=120, readers=50, uploads=0, megabytes=0)


def test_a_generated_class_is_the_same_for_the_same_seed() -> None:
    assert load_class.zipped(11) == load_class.zipped(11)
    with zipfile.ZipFile(io.BytesIO(load_class.zipped(11))) as archive:
        names, sources = archive.namelist(), [archive.read(name).decode() for name in archive.namelist()]
    assert names[10] == "student-010/Work.java"
    assert all(100 < source.count("\n") < 400 for source in sources)


def test_a_class_of_files_has_each_file_as_the_work_of_one_student(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.java" for number in range(5)]
    for path in files:
        path.write_text(f"// {path.name}\n")
        os.utime(path, (0, 0))
    with zipfile.ZipFile(io.BytesIO(load_class.zipped_files(files, 4))) as archive:
        names = archive.namelist()
        assert all(archive.read(name).decode() == f"// {name.partition('/')[2]}\n" for name in names)
    assert [name.partition("/")[0] for name in names] == [f"student-000{number}" for number in range(4)]


def test_the_large_archive_is_about_as_large_as_it_should_be(tmp_path: Path) -> None:
    load_class.write_large_archive(tmp_path / "large.zip", 20)
    assert 14_000_000 < (tmp_path / "large.zip").stat().st_size < 20_000_000


def test_the_figures_name_percentiles_errors_and_memory() -> None:
    steps = [Step("pair", number / 1_000, 2_000, "") for number in range(1, 101)]
    run = Run("50 readers", 10, {"pair": [*steps, Step("pair", 0.05, 0, "500")]}, [100.0, 140.0, 120.0], 2.0)
    text = section([run], SIZES, 60, 1.0)
    row = next(line for line in text.splitlines() if line.startswith("| pair"))
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "pair",
        "101",
        "1 (500)",
        "50",
        "95",
        "99",
        "2",
    ]
    assert "at most 140" in text
    assert "10 pages a second, 20 ms of processor time each" in text


def test_only_the_section_of_the_figures_is_written(tmp_path: Path) -> None:
    document = tmp_path / "running.md"
    document.write_text("# Running it\n\ntext\n")
    write_section(document, "first")
    document.write_text(document.read_text() + "\n## Monitoring\n")
    write_section(document, r"second \1")
    written = document.read_text()
    assert written.startswith("# Running it\n\ntext\n\n## Figures\n")
    assert written.endswith("## Monitoring\n")
    assert r"second \1" in written
    assert "first" not in written

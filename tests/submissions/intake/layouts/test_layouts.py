"""Every layout on a sample of its own, and properties of the grouping of any upload."""

import re
import string
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from submissions.intake.choices import Choices
from submissions.intake.entries import Entry
from submissions.intake.grouping import Grouping, ListingBuilder, group_files, group_submissions
from submissions.intake.layouts.fields import by_name
from submissions.intake.layouts.places import (
    COURSE_FOLDERS,
    Ignored,
    Listing,
    Placement,
    Student,
    without_common_parts,
)
from submissions.intake.layouts.registry import LAYOUTS, recognise
from tests.submissions.intake.layouts.plain_samples import CODE
from tests.submissions.intake.layouts.records import GRADESCOPE_RECORDS
from tests.submissions.intake.layouts.samples import SAMPLES, VARIANTS
from tests.support.archives import entries, zipped
from tests.support.golden import Golden

GOLDEN = Path(__file__).with_name("golden")


PLAIN = {"project", "questions", "sections", "folders", "files"}


def listing_of(files: dict[str, str], name: str = "") -> Listing:
    builder = ListingBuilder(name)
    for path, text in files.items():
        builder.add(Entry(path, len(text.encode()), data=text.encode()))
    return builder.listing()


def described(grouping: Grouping) -> str:
    """Return a grouping as text: each submission with its files, then what is ignored."""
    lines = [f"{grouping.layout.key}: {grouping.layout.label}"]
    for name in sorted({place.submission for place in grouping.places.values()}):
        time, identifier = grouping.submissions[name].submitted, grouping.submissions[name].identifier
        known = [text for text in (identifier and f"id {identifier}", time and f"at {time}") if text]
        lines += ["", f"{name} ({'; '.join(known)})" if known else name]
        lines += sorted(f"    {place.path}" for place in grouping.places.values() if place.submission == name)
    lines += ["", "ignored", *(f"    {path}: {grouping.reason(path)}" for path in sorted(grouping.ignored))]
    return "\n".join(lines) + "\n"


def names(files: dict[str, str]) -> set[str]:
    return {place.submission for place in group_files(listing_of(files)).places.values()}


def forms_of(name: str) -> set[str]:
    """Return a name of a folder in the forms in which courses write it, one of them sorted before others."""
    joined = {name, name.upper(), name.title(), name.replace(" ", "_"), name.replace(" ", "-")}
    joined |= {f"_{name}", f"_{name}_", f"__{name}", f"00_{name}", f"0-{name}"}
    return joined | {f"{name}2", f"{name}_v2", f"{name}-2026", f"{name} v1.2"}


TWO_WORDS = [
    "given files", "base code", "model solution", "starter project", "código base", "plantilla inicial", "lösung",
    "gerüst", "modèle du professeur", "corrigé", "fichiers fournis", "codice di partenza", "código inicial",
    "resolução", "go starter", "java template", "week starter", "exercise skeleton",
]  # fmt: skip


@pytest.mark.parametrize("name", [*sorted(COURSE_FOLDERS), *TWO_WORDS])
def test_a_folder_of_the_course_is_no_student_however_it_is_written(name: str) -> None:
    for form in forms_of(name):
        files = {f"class/{student}/Tide.java": CODE for student in ("alice", "bob", "carl", form)}
        assert names(files) == {"alice", "bob", "carl"}, form


def test_folders_of_one_word_with_numbers_are_submissions_where_they_are_most() -> None:
    numbered = {f"solution{number}" for number in range(1, 5)}
    for others in (("alice", "bob"), ("alice", "bob", "carl", "dora", "emil")):
        assert names({f"class/{name}/Tide.java": CODE for name in (*others, *numbered)}) >= numbered


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_is_read_as_its_platform_means_it(sample: str, golden: Golden) -> None:
    golden(GOLDEN / f"{sample}.txt", described(group_files(listing_of(SAMPLES[sample]))))


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_is_recognised_as_its_own_layout_with_a_plain_one_soon_after(sample: str) -> None:
    first, *others = recognise(listing_of(SAMPLES[sample]))
    assert first.layout.key == VARIANTS.get(sample, sample)
    assert 1 >= first.score > others[0].score
    assert {other.layout.key for other in others[:2]} & PLAIN


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_order_of_the_entries_and_a_folder_around_them_change_nothing(sample: str) -> None:
    files = SAMPLES[sample]
    grouping = described(group_files(listing_of(files)))
    assert described(group_files(listing_of(dict(reversed(files.items()))))) == grouping
    if sample != "project":  # it has the name of its outermost folder
        wrapped = group_files(listing_of({f"download/{path}": text for path, text in files.items()}))
        assert described(wrapped).replace("    download/", "    ") == grouping


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_layout_places_or_ignores_every_entry_of_every_sample(sample: str) -> None:
    listing = listing_of(SAMPLES[sample])
    for layout in LAYOUTS:
        grouping = group_files(listing, Choices(layout))
        assert grouping.places.keys() | grouping.ignored.keys() == SAMPLES[sample].keys(), layout
        assert not grouping.places.keys() & grouping.ignored.keys(), layout
        assert len(set(grouping.places.values())) == len(grouping.places), layout
        assert all(grouping.ignored.values()), layout


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_fits_no_plain_class_and_no_empty_upload(layout: str) -> None:
    plain = {f"student-{number:02}/main.py": CODE for number in range(20)}
    for files in (plain, {}, {"main.py": CODE}):
        score = LAYOUTS[layout].score(listing_of(files))
        assert layout in PLAIN or score == 0


def test_the_name_of_the_upload_alone_makes_no_layout() -> None:
    files = {"ada/main.py": CODE, "ben/main.py": CODE}
    for name in ("gradebook_Lab 1_2026-03-01", "assignment_9_export", "lab1-submissions"):
        assert recognise(listing_of(files, name))[0].layout.key == "folders"


def test_archives_of_students_in_an_archive_are_their_submissions() -> None:
    packed = zipped({f"{name}.zip": zipped({"main.py": CODE.encode()}) for name in ("ada", "ben", "cleo")})
    grouping, groups = group_submissions(entries("class.zip", packed))
    assert grouping.layout.key == "folders"
    files = {name: [entry.name for entry in files] for name, files in groups.items()}
    assert files == {name: ["main.py"] for name in ("ada", "ben", "cleo")}


def test_a_project_at_the_top_is_named_after_the_upload_and_a_tests_folder_makes_no_project() -> None:
    grouping = group_files(listing_of({"src/main.py": CODE, "setup.py": CODE}, "ada"))
    assert set(grouping.places.values()) == {("ada", "src/main.py"), ("ada", "setup.py")}
    students = {f"class/{name}/main.py": CODE for name in ("ada", "ben", "cleo", "dora")}
    grouping = group_files(listing_of({**students, "class/tests/test_main.py": CODE, "class/Makefile": CODE}))
    assert {place.submission for place in grouping.places.values()} == {"ada", "ben", "cleo", "dora"}
    assert "of the course" in grouping.ignored["class/tests/test_main.py"]


def test_two_students_of_one_name_have_their_ids_after_it_and_one_in_two_archives_is_one() -> None:
    files = {f"Ada Byron_{number}_assignsubmission_file/main.py": CODE for number in (1, 2)}
    assert names(files) == {"Ada Byron (Participant 1)", "Ada Byron (Participant 2)"}
    files = {f"{part}/Ada Byron_1_assignsubmission_file/main.py": CODE for part in ("lab1", "lab2")}
    second = "lab2/Ada Byron_1_assignsubmission_file/main.py"
    places = set(group_files(listing_of(files)).places.values())
    assert places == {("Ada Byron", "main.py"), ("Ada Byron", second)}


def test_attempts_are_compared_as_numbers_and_as_times_with_and_without_a_zone() -> None:
    grouping = group_files(listing_of({f"a@b.edu_{version}_x.c": CODE for version in (2, 9, 10)}))
    assert list(grouping.places) == ["a@b.edu_10_x.c"]
    assert grouping.earlier == {"a@b.edu_2_x.c": "a", "a@b.edu_9_x.c": "a"}
    times = ("2026-03-01T14:05:09Z", "2026-03-01T15:05:09", "2026-03-01T14:05:09-05:00")
    grouping = group_files(listing_of({f"Ada - {time}/main.py": CODE for time in times}))
    assert list(grouping.places) == ["Ada - 2026-03-01T14:05:09-05:00/main.py"]


@pytest.mark.parametrize(
    "records",
    [
        GRADESCOPE_RECORDS[:120],
        "submission_77000: &a [*a, *a]\n  :submitters:\n  - :name: [" + "[" * 100_000,
        'submission_77000:\n  :submitters:\n  - :name: "\\ud800\\x00"\n    :sid: \'\n' * 5,
        "\x00\ufffe" * 1000,
        "",
    ],
)
def test_broken_records_of_gradescope_leave_the_numbers_as_names(records: str) -> None:
    files = {**SAMPLES["gradescope-broken"], "assignment_9_export/submission_metadata.yml": records}
    grouping = group_files(listing_of(files))
    assert grouping.layout.key == "gradescope"
    assert len({place.submission for place in grouping.places.values()}) == 2
    assert all(place.submission.isprintable() for place in grouping.places.values())


def test_metadata_that_is_too_large_is_not_kept() -> None:
    path = "assignment_9_export/submission_metadata.yml"
    builder = ListingBuilder()
    builder.add(Entry(path, 6_000_000, data=b" " * 6_000_000))
    for number in range(20):
        builder.add(Entry(f"{number}/submission_metadata.yml", 4_000_000, data=b" " * 4_000_000))
    assert path not in builder.metadata
    assert sum(map(len, builder.metadata.values())) <= 50_000_000
    assert len(builder.files) == 21


def test_the_work_grows_in_proportion_to_the_number_of_entries() -> None:
    """Count the searches in paths, because times differ from run to run."""

    def searches(students: int) -> int:
        files = {f"Ada {number}_{number}_assignsubmission_file/{file}.java": "x"
                 for number in range(students) for file in range(4)}  # fmt: skip
        listing = listing_of(files)
        counted = CountedPaths(listing.paths)
        listing.__dict__["paths"] = counted
        group_files(listing)
        return counted.readings

    assert searches(5_000) <= 11 * searches(500)


class CountedPaths(list[str]):
    """Paths that count how often they are read in a loop."""

    readings = 0

    def __iter__(self) -> Iterator[str]:
        for path in super().__iter__():
            self.readings += 1
            yield path


def test_a_list_beside_the_folders_is_offered_as_the_roster() -> None:
    [warning] = [one for one in group_files(listing_of(SAMPLES["folders-loose"])).warnings if one.kind == "list"]
    assert warning.text.startswith("Beside the work of the students: roster.csv, submissions.tsv.")


@pytest.mark.parametrize(
    "paths",
    [
        ("team1/client/main.py", "team1/server/main.py", "team2/client/main.py", "team2/server/main.py"),
        ("ada/q1/main.py", "ada/q2/main.py", "ben/q1/main.py", "ben/q2/main.py"),
        ("q1/src/main.py", "q1/lib/main.py", "q2/src/main.py", "q2/lib/main.py"),
        ("q1/part 1/main.py", "q1/q2/main.py", "q2/q2/main.py", "q2/q1/main.py"),
        ("q1/ada/main.py", "q2/ada/main.py", "ben/q1/main.py"),
    ],
)
def test_folders_of_teams_and_students_are_not_questions(paths: tuple[str, ...]) -> None:
    assert recognise(listing_of(dict.fromkeys(paths, CODE)))[0].layout.key != "questions"


NUMBERED = ("Ada Byron - 12", "Bruno Popescu - 13", "Chidi Okafor - 14")
LOGINS = ("abyron", "bpopescu", "cokafor")
ESSAYS = ("ada/essay.md", "ben/essay.md", "cleo.md", "README.md")


@pytest.mark.parametrize(
    ("paths", "students"),
    [
        ([f"quiz/Quiz 1-Question {n}/{name}/main.py" for n in (1, 2, 3) for name in NUMBERED], {*NUMBERED}),
        ([f"ex1-{login}/main.py" for login in LOGINS], {*LOGINS}),
        (
            [f"Week {n}/{name}/main.py" for n in (1, 2) for name in ("ada", "ben", "cleo")],
            {"ada", "ben", "cleo"},
        ),
        (["ada/main.py", "ben/main.py", "Sheet 1.pdf"], {"ada", "ben"}),
        (["ada/essay.pdf", "ben.pdf"], {"ada", "ben.pdf"}),
        (ESSAYS, {"ada", "ben", "cleo.md"}),
        ([*ESSAYS, "dora/main.py"], {"ada", "ben", "dora"}),
    ],
    ids=["questions", "repositories", "weeks", "a sheet", "no sheet", "texts", "texts beside a program"],
)
def test_names_after_numbers_and_files_beside_folders_are_kept(paths: list[str], students: set[str]) -> None:
    assert names(dict.fromkeys(paths, CODE)) == students


def test_numbered_folders_with_a_word_in_common_are_not_read_as_accounts_of_ilias() -> None:
    for name in ("lab_{0}_ada_{1}", "Byron_Ada{1}_cs101_{1}", "hw_1_ada{1}_2026"):
        files = {f"{name.format(number, number + 5)}/main.py": CODE for number in (1, 2, 3)}
        assert LAYOUTS["ilias"].score(listing_of(files)) == 0, name


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["lab1 ada", "lab1 adrian", "lab1 alan"], ["ada", "adrian", "alan"]),
        (["Ada - fines.py", "Ben - fines.py", "Cleo - fines.py"], ["Ada", "Ben", "Cleo"]),
        (["hw 2 - ada - final", "hw 2 - ben - final", "hw 2 - cleo - final"], ["ada", "ben", "cleo"]),
        (["hw 1 ada.py", "hw 1 ben.py", "hw 1 cleo.py"], ["ada.py", "ben.py", "cleo.py"]),
    ],
)
def test_a_common_beginning_or_end_is_left_out(names: list[str], short: list[str]) -> None:
    assert list(without_common_parts(names).values()) == short


@pytest.mark.parametrize(
    "names",
    [
        ["ada.py", "ben.py", "cleo.py"],
        ["Ada Byron", "Bea Byron"],
        ["student-01", "student-02", "student-03"],
        ["case-01_L1.java", "case-01_L2.java", "case-01_original.java"],
        ["hw1_ada.py", "hw1_ben.py", "hw1_cleo.py"],
        ["lab1 -", "lab1 - ada", "lab1 - ben"],
        ["anna", "anne", "annika"],
        [],
    ],
)
def test_what_would_leave_no_name_stays(names: list[str]) -> None:
    assert without_common_parts(names) == {name: name for name in names}


@given(st.sets(st.text("ab -_1", min_size=1, max_size=8), max_size=6))
def test_names_remain_distinct_parts_of_what_they_were(names: set[str]) -> None:
    short = without_common_parts(names)
    assert len(set(short.values())) == len(names)
    assert all(rest and rest in name for name, rest in short.items())


PARTS = sorted({part for files in SAMPLES.values() for path in files for part in path.split("/")})


TEXTS = sorted({text for files in SAMPLES.values() for text in files.values()})

# There is a row for each layout.
FEWER = settings(max_examples=max(5, settings().max_examples // 8))

letters = string.ascii_letters + string.digits + "_-+@. ;,()"


name = st.sampled_from(PARTS) | st.text(letters, min_size=1, max_size=30)


paths = st.lists(name, min_size=1, max_size=4).map("/".join)


whole = st.sampled_from(sorted({path for files in SAMPLES.values() for path in files}))


content = st.sampled_from(TEXTS) | st.text(max_size=60)


uploads = st.dictionaries(paths | whole, content, max_size=15)


samples = st.sampled_from(sorted(SAMPLES)).map(SAMPLES.__getitem__)


dates = st.sampled_from([None, *(datetime(2026, month, 1, tzinfo=UTC) for month in range(1, 13))])


depths = st.builds(Choices, depth=st.none() | st.integers(0, 5), attempts=st.sampled_from(["last", "all"]))


layouts = st.builds(
    Choices, layout=st.sampled_from(["", *LAYOUTS]), attempts=st.sampled_from(["last", "all"]), due=dates
)


def group(files: dict[str, str], choices: Choices) -> Grouping:
    builder = ListingBuilder("upload")
    for path, text in files.items():
        data = text.encode("utf-8", "surrogatepass")
        builder.add(Entry(path, len(data), data=data))
    return group_files(builder.listing(), choices)


def checked(files: dict[str, str], choices: Choices) -> Grouping:
    """Return the grouping of files, after checking what holds for every grouping."""
    grouping = group(files, choices)
    assert grouping.places.keys() | grouping.ignored.keys() == files.keys()
    assert not grouping.places.keys() & grouping.ignored.keys()
    assert len(set(grouping.places.values())) == len(grouping.places)
    assert all(grouping.ignored.values())
    for place in grouping.places.values():
        assert place.path
        assert 0 < len(place.submission) <= 400
        assert "/" not in place.submission
    assert grouping.submissions.keys() == {place.submission for place in grouping.places.values()}
    assert set(grouping.earlier.values()) <= grouping.submissions.keys()
    assert grouping.earlier.keys() <= grouping.ignored.keys()
    for submission in grouping.submissions.values():
        assert submission.students
        assert 1 <= submission.attempt <= submission.attempts
    for warning in grouping.warnings:
        assert set(warning.submissions) <= grouping.submissions.keys()
    return grouping


def regrouped(files: dict[str, str], choices: Choices, data: st.DataObject) -> Choices:
    """Return the choices with some of their submissions renamed and split."""
    names = sorted(group(files, choices).submissions) or ["nobody"]
    some = st.sampled_from([*names, "nobody"])
    split = data.draw(st.frozensets(some, max_size=3))
    renamed = data.draw(st.dictionaries(some, some | st.just("Team 1"), max_size=4))
    return Choices(choices.layout, choices.depth, choices.attempts, choices.due, split, renamed)


@pytest.mark.slow
@given(uploads | samples, layouts | depths, st.data())
def test_no_entry_is_lost_in_any_order(files: dict[str, str], choices: Choices, data: st.DataObject) -> None:
    choices = regrouped(files, choices, data)
    shuffled = data.draw(st.permutations(list(files.items())))
    assert checked(files, choices) == checked(dict(shuffled), choices)


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@FEWER
@given(files=uploads)
def test_a_layout_that_was_chosen_loses_no_entry_of_any_upload(layout: str, files: dict[str, str]) -> None:
    checked(files, Choices(layout))


@given(uploads | samples, layouts | depths, st.data())
def test_choices_are_stored_as_they_are(files: dict[str, str], choices: Choices, data: st.DataObject) -> None:
    choices = regrouped(files, choices, data)
    assert Choices.from_json(choices.to_json()) == choices


@given(uploads)
def test_scores_are_parts_and_some_layout_always_fits(files: dict[str, str]) -> None:
    builder = ListingBuilder()
    for path in files:
        builder.add(Entry(path, 1, data=b"x"))
    scores = [ranked.score for ranked in recognise(builder.listing())]
    assert all(0 <= score <= 1 for score in scores)
    assert scores[0] > 0


HARBOUR = by_name(
    "harbour",
    "a Harbour download",
    student_names=re.compile(
        r"(?P<ignored>log_)?(?P<name>[^/_]+)_(?P<id>\d+)_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)_(?P<file>[^/]+)"
    ),
    ignored="what Harbour printed",
)


def test_a_row_says_who_handed_in_what_and_when_and_fits_nothing_else() -> None:
    work, log = (
        f"lab/{name}" for name in ("Ada_7_2026-03-01T14-05-09Z_Main.java", "log_Ada_7_2026-03-01T14-05-09Z_run.txt")
    )
    time = datetime(2026, 3, 1, 14, 5, 9, tzinfo=UTC)
    other = "not named like a student's work in a Harbour download; choose another layout if it is one"
    assert HARBOUR.place(listing_of(dict.fromkeys((work, log, "lab/notes.txt"), ""))) == {
        work: Placement((Student("Ada", "7"),), "Main.java", time, time),
        log: Ignored("what Harbour printed"),
        "lab/notes.txt": Ignored(other),
    }
    ours = {f"Ada_{number}_2026-03-01T14-05-09Z_Main.java": "" for number in range(3)}
    assert HARBOUR.score(listing_of(ours)) == 1
    assert HARBOUR.score(listing_of({"ada/Main.java": "", "ben/Main.java": ""})) == 0
    names = re.compile(r"(?P<name>[^/_]+)_v(?P<version>\d+)(?=/)")
    placed = by_name("counted", "a count", student_names=names).place(listing_of({"Ada_v2/src/main.c": ""}))
    assert placed == {"Ada_v2/src/main.c": Placement((Student("Ada"),), "src/main.c", 2)}


def test_a_row_of_several_lines_in_the_list_of_a_class_for_dolos_is_one_student() -> None:
    rows = 'filename,full_name,created_at\na.py,"Ada\nKing\u2028",9999-12-31 23:59:59 -2300\nb.py,Ben,\n'
    places = LAYOUTS["dolos"].place(listing_of({"a.py": "", "b.py": "", "info.csv": rows}))
    assert places["a.py"] == Placement((Student("Ada King", "a.py"),), "a.py")

"""Read all files of a folder as `moss check` does, and do nothing else: `python -m bench.reading FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from fingerprint import engine
from moss.check.inputs import InputOptions, read_all
from moss.check.rank import NO_OPTIONS, no_progress
from moss.check.readings import ReadJob, languages_of, read_files
from submissions.intake.file_languages import ChosenLanguages


def read_folder(folder: Path, options: InputOptions = NO_OPTIONS) -> int:
    """Return the number of tokens of all files of a folder, without those that are not compared."""
    engine.open_kernels(no_progress)
    groups = [*read_all(folder, (), options).groups.values()]
    languages = languages_of(groups, ChosenLanguages("", ""))
    jobs = [
        ReadJob(entry.name, entry.data or b"", of_file)
        for group, of_group in zip(groups, languages, strict=True)
        for entry, of_file in zip(group, of_group, strict=True)
        if of_file is not None
    ]
    readings = read_files(jobs, no_progress(len(jobs)))
    return sum(len(reading.tokens.kinds) for reading in readings if not isinstance(reading, str))


if __name__ == "__main__":
    print(read_folder(Path(sys.argv[1])))

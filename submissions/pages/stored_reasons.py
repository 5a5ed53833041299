"""Reasons that are stored in English; the code that writes them knows no Django."""

from __future__ import annotations

import re

from django.utils.translation import gettext_noop

PLACE = re.compile(r"\{(\w+)\}")
# What `submissions.intake`, `submissions.work` and `fingerprint.reading` write; the first that fits counts.
REASONS = (
    gettext_noop("beside the folders of the students, and no program"),
    gettext_noop("beside the programs of the students, and no program"),
    gettext_noop("beside the folders of the students, not in one of them"),
    gettext_noop("beside the folders that contain those of the students"),
    gettext_noop("in the folder {name} beside those of the students, so of the course"),
    gettext_noop("an earlier attempt of {name}"),
    gettext_noop("version {version}, where the student chose version {chosen}"),
    gettext_noop("not named like a student's work in {layout}; choose another layout if it is one"),
    gettext_noop("{name} of {layout}, no work of a student"),
    gettext_noop("an annotated copy of a submission"),
    gettext_noop("a submission that the student cancelled"),
    gettext_noop("an online text without any text"),
    gettext_noop("only a link was handed in, and Canvas does not export what it leads to"),
    gettext_noop("the same file as in another download of this upload"),
    gettext_noop("what a student got in OpenOlat, not handed in"),
    gettext_noop("what VPL printed for a student"),
    gettext_noop("results of the tests"),
    gettext_noop("feedback to a student"),
    gettext_noop("Sakai's record of a submission, or feedback"),
    gettext_noop("Sakai's list of grades"),
    gettext_noop("Submitty's settings of a submission"),
    gettext_noop("VPL's own report"),
    gettext_noop("Blackboard's record of an attempt"),
    gettext_noop("Brightspace's index of the submissions"),
    gettext_noop("nbgrader's record of a submission"),
    gettext_noop("DOMjudge's data of the contest"),
    gettext_noop("Gradescope's list of submissions"),
    gettext_noop("Gradescope's list of submissions; no names could be read"),
    gettext_noop("the list of the pushed submissions"),
    gettext_noop("the text of the question"),
    gettext_noop("No entry of this upload could be used; the reasons are listed below."),
    gettext_noop("an empty archive: it holds no file"),
    gettext_noop("encrypted; upload it without a password"),
    gettext_noop("a symbolic link"),
    gettext_noop("not a file but a device, pipe or socket"),
    gettext_noop("an absolute path; only relative ones are taken"),
    gettext_noop("its path leads out of the archive (..)"),
    gettext_noop("it has no name"),
    gettext_noop("its path has {n} characters; the limit is {limit}"),
    gettext_noop("has more than {size}, the limit for one file"),
    gettext_noop("more than {n} entries; the rest was not read"),
    gettext_noop("more than {n} junk entries; the rest was not read"),
    gettext_noop("unpacks to more than {size}; the rest was not read"),
    gettext_noop("unpacks to more than {n} times its packed size, as a zip bomb does"),
    gettext_noop("an archive nested deeper than {n}; unpack it and upload again"),
    gettext_noop("ends without its end mark; entries may be missing"),
    gettext_noop("damaged; what follows could not be read"),
    gettext_noop("damaged or cut off: {error}"),
    gettext_noop("{kind} archives cannot be opened here; upload a zip or tar.gz"),
    gettext_noop("finding out its language took longer than {n} s"),
    gettext_noop("reading it as {language} took longer than {n} s"),
    gettext_noop("reading it as {language} takes more memory than the {size} that it may use"),
    gettext_noop("reading it as {language} ended the program that reads files, twice ({error})"),
    gettext_noop("it holds a NUL byte (at offset {n}), as binary files do and text files do not"),
    gettext_noop("the lexer failed ({error})"),
    gettext_noop(
        "An error on the server; its log has the details. Try again, or report it to whoever runs this"
        " server."
    ),
    gettext_noop("This took longer than a worker may spend on it. Upload it in smaller parts."),
    gettext_noop(
        "This ended the process that worked on it {n} times; the log of the server may say why. Try it in"
        " smaller parts."
    ),
)


def values_in(text: str, sentence: str) -> dict[str, str] | None:
    """Return what stands at the places of a sentence, or None if it is another one.

    Names are students' words, so no expression with several places is matched with them.
    """
    literals, names = PLACE.split(sentence)[::2], PLACE.split(sentence)[1::2]
    at, values = len(literals[0]), dict[str, str]()
    if not text.startswith(literals[0]):
        return None
    for number, (name, literal) in enumerate(zip(names, literals[1:], strict=True), 1):
        end = len(text) - len(literal) if number == len(names) else text.find(literal, at)
        if end < at or not text.startswith(literal, end):
            return None
        values[name], at = text[at:end], end + len(literal)
    return values

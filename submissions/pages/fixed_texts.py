"""Fixed texts of other code that a page shows in its language: of layouts, rules for files, and rankings."""

from __future__ import annotations

import re

from django.utils.translation import gettext, gettext_lazy as _, gettext_noop

SCRIPT_TEXTS = {
    "copy": {"copied": _("Copied"), "by_keys": _("Press Ctrl+C to copy it")},
    "decide": {
        "not_saved": _(
            "Not saved: the server did not answer. See whether you are online, then decide again."
        ),
    },
    "graph": {"edge": _("{left} and {right}, {share}"), "node": _("{name}, case {number}")},
    "histogram": {"value": _("{share}, {above} of {total} submissions there or above")},
    "pair": {
        "position": _("Passage {position} of {total}"),
        "tip": _("Passage {number}: {size}"),
        "on_left": _("{here} here, {there} on the left"),
        "on_right": _("{here} here, {there} on the right"),
        "common_one": _("Common code: also in {n} other."),
        "common_many": _("Common code: also in {n} others."),
        "gap": _("Not in the other one: inserted or changed."),
    },
    "upload": {
        "more": _("and {n} more"),
        "unreadable": _("The folder cannot be read ({error}): make a zip of it and drop that."),
        "too_many": _("The folder has more than {n} files: make a zip of it and drop that."),
        "empty": _("The folder has no files: drop another one."),
        "sending": _("{sent} of {total} sent"),
        "sent": _("Sent. Waiting for the answer"),
        "refused": _("The upload was refused."),
        "too_large": _("These are {size}; at most {limit} can be sent at once."),
        "broken": _("The connection broke."),
        "cancelled": _("Cancelled."),
        "was_sent": _("It had been sent already: reload this page to see whether it was taken."),
        "not_sent": _("Nothing was kept."),
        "waits": _("The connection broke. Trying again"),
        "rest": _("Send this file again within a day: only the rest is sent."),
    },
}


# The labels of `submissions.intake.layouts.registry.LAYOUTS`.
LAYOUT_LABELS = (
    gettext_noop("a Moodle export"),
    gettext_noop("a Moodle VPL export"),
    gettext_noop("files of a Moodle quiz"),
    gettext_noop("a Canvas export"),
    gettext_noop("a Blackboard export"),
    gettext_noop("a Brightspace export"),
    gettext_noop("a Sakai export"),
    gettext_noop("a Gradescope export"),
    gettext_noop("a Submitty download"),
    gettext_noop("an Autolab download"),
    gettext_noop("a CodeGrade folder"),
    gettext_noop("nbgrader folders"),
    gettext_noop("a DOMjudge export"),
    gettext_noop("an Artemis export"),
    gettext_noop("repositories of GitHub or GitLab"),
    gettext_noop("submissions that a learning platform pushed"),
    gettext_noop("one project"),
    gettext_noop("sections with a folder for each student"),
    gettext_noop("a folder or file for each student"),
    gettext_noop("a file for each student"),
)
# The reasons of `submissions.intake.left_out.rules.RULES`.
RULE_REASONS = (
    gettext_noop("left by macOS"),
    gettext_noop("left by Windows"),
    gettext_noop("a Python environment"),
    gettext_noop("hidden"),
    gettext_noop("project files of an IDE"),
    gettext_noop("downloaded packages"),
    gettext_noop("written by Python's package tools"),
    gettext_noop("downloaded packages in vendor/"),
    gettext_noop("packages downloaded by CocoaPods"),
    gettext_noop("packages downloaded by NuGet"),
    gettext_noop("a lock file of a package manager"),
    gettext_noop("a published JavaScript or CSS library"),
    gettext_noop("a published C or C++ library"),
    gettext_noop("compiled output"),
    gettext_noop("Xcode's build output"),
    gettext_noop("CMake's build output"),
    gettext_noop("build output of Maven, sbt or Cargo"),
    gettext_noop("build output of Gradle, CMake or setuptools"),
    gettext_noop("build output of .NET"),
    gettext_noop("build output of IntelliJ"),
    gettext_noop("build output of Visual Studio or Eclipse"),
    gettext_noop("JavaScript built by a bundler or a compiler"),
    gettext_noop("a copy of another file, in a folder of build output"),
    gettext_noop("written by Unity"),
    gettext_noop("the wrapper script of a build tool"),
    gettext_noop("written by the Autotools"),
    gettext_noop("written by Django's startproject"),
    gettext_noop("documentation written by Javadoc"),
    gettext_noop("documentation written by Doxygen"),
    gettext_noop("documentation written by Sphinx"),
    gettext_noop("says that it is generated documentation"),
    gettext_noop("a report of test coverage"),
    gettext_noop("a report of a test run"),
    gettext_noop("minified code"),
    gettext_noop("JavaScript or CSS compiled from another file"),
    gettext_noop("written by the designer of Visual Studio"),
    gettext_noop("written by Visual Studio"),
    gettext_noop("written by Visual Studio's resource editor"),
    gettext_noop("written by Android's build tools"),
    gettext_noop("says that it was generated by protoc or gRPC"),
    gettext_noop("says that it was generated by a parser generator"),
    gettext_noop("says that it was generated by a designer of user interfaces"),
    gettext_noop("says that it was generated from the description of an interface"),
    gettext_noop("a migration that Django wrote"),
    gettext_noop("says that it is generated and not to be edited"),
)
# The stages of a ranking, as `submissions.ranking.rank` publishes them.
STAGES = (
    gettext_noop("Reading for the comparison across languages"),
    gettext_noop("Loading tokens and fingerprints"),
    gettext_noop("Aligning pairs"),
    gettext_noop("Grouping duplicates"),
    gettext_noop("Measuring the effect of exclusions"),
)
KNOWN = frozenset((*LAYOUT_LABELS, *RULE_REASONS, *STAGES))
COMPARING = re.compile(r"Comparing ([\d,]+) submissions with each other")


def fixed_text(text: str) -> str:
    """Return a label, a reason or a stage in the language of the page; another text as it is."""
    if found := COMPARING.fullmatch(text):
        return gettext("Comparing {n} submissions with each other").format(n=found[1])
    return gettext(text) if text in KNOWN else text

"""Submissions that attack the pages on purpose, and submissions that break them by accident."""

import pytest

from submissions.core.models import Refusal
from submissions.models import Assignment, Report, Submission, SubmissionFile
from submissions.uploads.change import rerank
from tests.support.every_page import World, world_of
from tests.support.kept_classes import stored
from tests.support.sample_class import COPIED, STARTER, loose, zipped
from tests.support.uploads import HandIn, register_boilerplate

LINE = 100_000
SOURCES: dict[str, bytes] = {
    "closes a script": f"{COPIED}# </script><script>window.hacked = 1</script> </code></pre>\n".encode(),
    "has handlers": COPIED.encode() + b"""# <img src=x onerror="window.hacked=1"><svg onload='window.hacked=1'>\n""",
    "writes backwards": f"{COPIED}# \u202etxt.elif\u2066 \u200b \ufeff\n".encode(),
    "paints a terminal": f"{COPIED}# \x1b[31mred\x1b]0;title\x07 \x9b2J \x7f\n".encode(),
    "writes one line": f"{COPIED}words = '{'x' * LINE}'\n".encode(),
    "is in utf-16": f"{COPIED}# größer, 大きい\n".encode("utf-16"),
    "is in latin-1": f"{COPIED}# größer als früher\n".encode("latin-1"),
    "is not text": f"{COPIED}# ".encode() + b"\xff\xfe\xfa\x80\n",
    "ends lines as it likes": f"{COPIED}# one\r# two\r\n# three\n\r".encode(),
}
# Names of the submissions, one for each source.
NAMES = (
    "<script>window.hacked=1</script>",
    '"><img src=x onerror=window.hacked=1>',
    "' onfocus='window.hacked=1' autofocus='",
    "\u202efdp.yrots\u2066",
    "two\nlines\rof\ttext",
    "\x1b[31mred\x07",
    "{{ settings.SECRET_KEY }}{% csrf_token %}",
    "=HYPERLINK(1)",
    "😀" * 100,
)
# No page may contain any of these unescaped.
LIVE = ("<script>window.hacked", "<img src=x", "<svg onload", *"\u202e\u2066\u200b\x1b\x07\x9b\x7f\x00")


@pytest.fixture
def nasty(assignment: Assignment, hand_in: HandIn) -> World:
    """Return a ranked assignment in which every source and every name is hostile."""
    stored("a hostile class", lambda: _store(assignment, hand_in))
    pair = assignment.reports.get(state=Report.State.DONE).pairs.all()[0]
    # Not anonymous, so that the shared pages contain the names.
    return world_of(assignment, pair, anonymous=False)


def _store(assignment: Assignment, hand_in: HandIn) -> None:
    folders = [f"student {number}" for number in range(len(SOURCES))]
    sources = dict(zip(folders, SOURCES.values(), strict=True))
    files = {f"{folder}/<b onclick=alert(1)>{folder}.py": source for folder, source in sources.items()}
    hand_in(zipped(files | {"x/<i>\u202e.class": b"\xca\xfe\xba\xbe"}, "<u>class</u>.zip"))
    for folder, name in zip(folders, NAMES, strict=True):
        # Set the names directly: unpacking would make their invisible characters visible.
        Submission.objects.filter(name=folder).update(name=name)
    SubmissionFile.objects.filter(path__contains="student 3").update(path="<b>\u202eyp.x")
    register_boilerplate(assignment, loose("</li><script>window.hacked=1</script>.py", STARTER))
    refusals = [Refusal(name=name, reason=name) for name in NAMES]
    assignment.boilerplate_uploads.create(name=NAMES[0], state="done", refused=99, refusals=refusals)
    rerank(assignment)

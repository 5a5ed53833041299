"""Readers who walk the pages of a report, and people who upload meanwhile, for `bench.load`."""

from __future__ import annotations

import http.client
import re
import threading
import time
from collections import defaultdict
from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.load_client import Response, Visitor

# Address of the list of pairs, below that of the assignment.
LIST = "pairs/"
PAIR = r"/assignments/\d+/pairs/\d+/\d+/"
SUBMISSION = r"/assignments/\d+/submissions/\d+/"
SORTS = ("-tokens", "left", "-longest", "-left_share", "similarity")
STATES = ("clear", "suspicious", "confirmed")
# Kinds of steps, with how often each is chosen. One step in a hundred is a decision.
STEPS = {
    "report": 10,
    "pairs": 10,
    "pairs, sorted": 15,
    "pairs, filtered": 15,
    "pair": 30,
    "submission": 19,
    "decision": 1,
}
# Of readers of a share link, whose requests may be refused while all places of the link are taken.
LINK, NO_PLACE = "link: ", "503"
LINK_STEPS = {kind: often for kind, often in STEPS.items() if kind not in {"submission", "decision"}}
# Address of the form of a pair, and its hidden fields: what its page showed when it was opened.
DECISION_FIELD = re.compile(r'<input type="hidden" name="(decided_on|seen)"\s+value="([^"]*)"')
DECIDE = re.compile(r'action="(/assignments/\d+/pairs/\d+/\d+/decide/)"')
REFUSED = 400


class Step(NamedTuple):
    """A request: its kind, its seconds, its bytes, and the error or ""."""

    kind: str
    seconds: float
    size: int
    error: str


class Steps:
    """The requests of all visitors."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._steps: dict[str, list[Step]] = defaultdict(list)

    def record(self, kind: str, request: Callable[[], Response]) -> Response | None:
        """Send a request and add it; return None when it failed."""
        begin = time.perf_counter()
        try:
            response = request()
        except (OSError, http.client.HTTPException) as error:
            self._add(Step(kind, time.perf_counter() - begin, 0, type(error).__name__))
            return None
        failed = response.status >= REFUSED
        self._add(Step(kind, response.seconds, response.size, str(response.status) if failed else ""))
        return None if failed else response

    def _add(self, step: Step) -> None:
        with self._lock:
            self._steps[step.kind].append(step)

    def by_kind(self) -> dict[str, list[Step]]:
        return dict(self._steps)


class Reader:
    """A signed-in reader of one assignment, who opens what the pages before link to."""

    # What the kinds of steps are called, the steps themselves, and addresses of pairs.
    title, steps, pair_pattern = "", STEPS, PAIR

    def __init__(self, visitor: Visitor, assignment: str, seed: int) -> None:
        self.visitor, self.assignment, self.random = visitor, assignment, Random(seed)
        self.pairs: list[str] = []
        self.submissions: list[str] = []
        self.decide = ""
        self.form: dict[str, str] = {}

    def walk(self, steps: Steps, until: float, think: float) -> None:
        """Open pages until `until`; look at each for about `think` seconds."""
        time.sleep(self.random.uniform(0, think))
        self._step("report", steps)
        while time.monotonic() < until:
            time.sleep(self.random.uniform(0.5, 1.5) * think)
            self._step(self.random.choices(list(self.steps), list(self.steps.values()))[0], steps)

    def _step(self, kind: str, steps: Steps) -> None:
        if response := steps.record(f"{self.title}{kind}", self._request(kind)):
            self.pairs = response.links(self.pair_pattern) or self.pairs
            self.submissions = response.links(SUBMISSION) or self.submissions
            self._keep_form(response.body)

    def _keep_form(self, body: str) -> None:
        """Keep the form of the pair that a page shows, if any, with its address."""
        if address := DECIDE.search(body):
            self.decide, self.form = address[1], dict(DECISION_FIELD.findall(body))

    def _request(self, kind: str) -> Callable[[], Response]:
        page, visitor = self.assignment, self.visitor
        listed = f"{page}{LIST}"
        if kind == "pair" and self.pairs:
            page = self.random.choice(self.pairs)
        elif kind == "submission" and self.submissions:
            page = self.random.choice(self.submissions)
        elif kind == "pairs":
            page = listed
        elif kind == "pairs, sorted":
            return lambda: visitor.get(f"{listed}?sort={self.random.choice(SORTS)}", htmx="findings")
        elif kind == "pairs, filtered":
            return lambda: visitor.get(f"{listed}?{self._filter()}", htmx="findings")
        elif kind == "decision" and self.form:
            data = {**self.form, "state": self.random.choice(STATES), "notes": ""}
            return lambda: visitor.post(self.decide, data)
        return lambda: visitor.get(page)

    def _filter(self) -> str:
        """Return what a person types or chooses: a name, a line, or another page of the list."""
        return self.random.choice(
            (
                f"q=student-{self.random.randrange(12):02}",
                f"threshold={self.random.randrange(20, 60, 5)}",
                f"page={self.random.randrange(2, 6)}",
            )
        )


class LinkReader(Reader):
    """A reader of a share link without an account. All readers of a link share some places: others wait."""

    title, pair_pattern = LINK, r"/shared/[\w:.~-]+/pairs/\d+/\d+/"
    steps = LINK_STEPS


def run(people: Sequence[Callable[[], object]]) -> None:
    """Call each function in a thread of its own, and wait until all have returned."""
    threads = [threading.Thread(target=person, daemon=True) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

"""Check a report: its pairs, its decisions, and its counts, best matches, cases and identical submissions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from submissions.cases.read import case_core, report_cases
from submissions.core.submitters import are_mates, compared_mates
from submissions.models import Decision, Report
from submissions.pairs.read import suggested_threshold, threshold_of
from tests.support.checking import decisions, dictated, pairs
from tests.support.checking.facts import Facts, is_of_class, title

# Figures that are floating point sums of the same terms may differ by the order of these.
TOLERANCE = 1e-9
# From the strongest to the weakest: a group of one is within a group of each that follows.
SAMENESS = ("identical", "layout", "names", "lexical")


def counts(facts: Facts) -> Iterator[str]:
    """Check the numbers of submissions and pairs."""
    of_class = sum(map(is_of_class, facts.submissions.values()))
    if (stated := facts.report.parameters.get("submissions", of_class)) != of_class:
        yield f"{stated} submissions are stated, and there are {of_class}"
    findings = facts.report.findings
    if findings and findings.listed != len(facts.pairs):
        yield f"{findings.listed} listed pairs are stated, and there are {len(facts.pairs)}"
    if findings and findings.scored < findings.listed:
        yield f"{findings.scored} pairs were scored, and {findings.listed} are listed"


def best_matches(facts: Facts) -> Iterator[str]:
    """Check that every submission of the class has a best match, which is its most similar pair."""
    stated = {best.submission for best in facts.report.findings.best} if facts.report.findings else set()
    for missing in {pk for pk, one in facts.submissions.items() if is_of_class(one)} - stated:
        yield f"{facts.submissions[missing].name}: no best match is stated"
    highest: dict[int, float] = defaultdict(float)
    similarity = {frozenset((pair.left_id, pair.right_id)): pair.similarity for pair in facts.pairs}
    for pair in facts.pairs:
        for side in (pair.left_id, pair.right_id):
            highest[side] = max(highest[side], pair.similarity)
    for best in facts.report.findings.best if facts.report.findings else []:
        name = facts.submissions[best.submission].name if best.submission in facts.submissions else "?"
        if highest[best.submission] > best.similarity + TOLERANCE:
            yield f"{name}: a pair of {highest[best.submission]} is listed, above the best match"
        listed = similarity.get(frozenset((best.submission, best.match or 0)))
        if listed is not None and abs(listed - best.similarity) > TOLERANCE:
            yield f"{name}: the best match is {best.similarity}, and that pair is listed with {listed}"
        if listed is None and best.similarity >= suggested_threshold(facts.report):
            yield f"{name}: the best match of {best.similarity} stands out and is not listed"


def cases(facts: Facts) -> Iterator[str]:
    """Check that the cases are the submissions that listed pairs at or above the threshold connect."""
    threshold = threshold_of(facts.report)
    links = [pair for pair in facts.pairs if pair.similarity >= threshold and pair.can_make_case]
    keys = compared_mates(facts.report.assignment, facts.submissions)
    links = [pair for pair in links if not are_mates(keys, pair.left_id, pair.right_id)]
    findings = facts.report.findings
    if findings and findings.above not in {None, len(links)} and threshold == suggested_threshold(facts.report):
        if findings.scored == findings.listed:
            yield f"{findings.above} pairs stand out, it is stated, and {len(links)} do"
        return  # more pairs connect the cases than are listed
    shown_cases = {frozenset(case.ids) for case in report_cases(facts.report)}
    counted = _components([(pair.left_id, pair.right_id) for pair in links])
    for ids in shown_cases ^ counted:
        names = sorted(facts.submissions[pk].name for pk in ids if pk in facts.submissions)
        where = "shown" if ids in shown_cases else "found by counting"
        yield f"the case of {', '.join(names)} is {where} only"


def cores(facts: Facts) -> Iterator[str]:
    """Check the share of one member's code that is in the code of every other one of a case."""
    for case in report_cases(facts.report):
        core = case_core(facts.report, [facts.submissions[pk] for pk in case.ids])
        if core is None:
            continue
        chosen, others = core.submission.pk, {*case.ids} - {core.submission.pk}
        shared = [
            pairs.counted_places(facts, pair, chosen)
            for pair in facts.pairs
            if chosen in (pair.left_id, pair.right_id)
            and others & {pair.left_id, pair.right_id}
            and not pair.translated
            and pair.tokens
        ]
        counted = sum(sum(facts.tokens(file).counted) for file in facts.ready_files(chosen))
        least = facts.report.parameters["guarantee"]
        in_all = set.intersection(*shared) if shared else set[tuple[int, int]]()
        again = (sum(_is_in_run(place, in_all, least) for place in in_all), counted, len(shared), len(others), least)
        if again != core[1:]:
            yield f"{core.submission.name}: what a case has in common is {core[1:]}, and {again} by counting"


def _is_in_run(place: tuple[int, int], places: set[tuple[int, int]], least: int) -> bool:
    """Return whether a place is one of `least` in a row."""
    file, token = place
    begins = range(token - least + 1, token + 1)
    return any(all((file, at) in places for at in range(first, first + least)) for first in begins)


def _components(links: list[tuple[int, int]]) -> set[frozenset[int]]:
    """Return the sets of submissions that links connect, by joining sets until nothing changes."""
    sets: list[set[int]] = []
    for link in links:
        touched = [one for one in sets if not one.isdisjoint(link)]
        sets = [one for one in sets if one.isdisjoint(link)]
        sets.append(set(link).union(*touched))
    return {frozenset(one) for one in sets}


def identical(facts: Facts) -> Iterator[str]:
    """Check that identical submissions have the same bytes, and that weaker groups contain the stronger."""
    digests = {pk: sorted(file.source.sha256 for file in facts.ready_files(pk)) for pk in facts.submissions}
    groups: dict[str, list[set[int]]] = defaultdict(list)
    for group in facts.report.duplicates:
        groups[group.sameness].append(set(group.submissions))
    for members in groups["identical"]:
        known = [digests[pk] for pk in members if pk in digests]
        if any(one != known[0] for one in known):
            yield f"{_names(facts, members)} are called identical and have other files"
    for stronger, weaker in pairwise(SAMENESS):
        for members in groups[stronger]:
            if any(members & other and not members <= other for other in groups[weaker]):
                yield f"{_names(facts, members)}: {stronger}, and not all of them {weaker}"


def identical_pairs(facts: Facts) -> Iterator[str]:
    """Check that two submissions of the same bytes are called identical."""
    together = {
        frozenset((one, other))
        for group in facts.report.duplicates
        if group.sameness == "identical"
        for one in group.submissions
        for other in group.submissions
    }
    for pair in facts.pairs:
        left, right = (
            sorted(file.source.sha256 for file in facts.ready_files(pk)) for pk in (pair.left_id, pair.right_id)
        )
        is_called = frozenset((pair.left_id, pair.right_id)) in together
        if is_called != (left == right) and is_of_class(pair.left) and is_of_class(pair.right):
            yield f"{title(pair)}: {'' if is_called else 'not '}called identical, against their bytes"


def _names(facts: Facts, ids: set[int]) -> str:
    return ", ".join(sorted(facts.submissions[pk].name for pk in ids if pk in facts.submissions))


UNDECIDED = Decision.State.UNDECIDED.value


CHECKS = (
    pairs.sides,
    pairs.evidence,
    pairs.passages,
    pairs.figures,
    dictated.dictated,
    counts,
    best_matches,
    cases,
    cores,
    identical,
    identical_pairs,
    decisions.shown_decisions,
    decisions.cases_by_hand,
    decisions.statements,
    decisions.commits,
)


def contradictions(report: Report) -> Iterator[str]:
    """Yield in a sentence each what a finished report states against its own sources and decisions."""
    facts = Facts(report)
    for check in CHECKS:
        yield from check(facts)

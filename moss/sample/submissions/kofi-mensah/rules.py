"""The rules of the library, kept apart from input and output."""
from datetime import date, timedelta
from typing import NamedTuple

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}


class Rule(NamedTuple):
    rate: int       # cents
    free_days: int
    ceiling: int    # cents


RULES = dict(
    book=Rule(rate=25, free_days=3, ceiling=1000),
    magazine=Rule(rate=10, free_days=3, ceiling=400),
    dvd=Rule(rate=100, free_days=1, ceiling=1500),
    equipment=Rule(rate=250, free_days=0, ceiling=6000),
)


def sundays_between(start, end):
    """Number of Sundays after start and up to end, without a loop."""
    span = (end - start).days
    if span <= 0:
        return 0
    # distance from start to the next Sunday, 1..7
    first = 7 - (start.weekday() + 1) % 7
    if span < first:
        return 0
    return 1 + (span - first) // 7


def holidays_between(start, end):
    hits = [h for h in HOLIDAYS if start < h <= end and h.weekday() < 6]
    return len(hits)


def billable_days(start, end):
    span = max((end - start).days, 0)
    return span - sundays_between(start, end) - holidays_between(start, end)


def fine_for(category, start, end, half_price=False):
    """The fine in cents. Raises LookupError for a category we do not lend."""
    rule = RULES[category]
    days = billable_days(start, end)
    if days <= rule.free_days:
        return 0
    amount = rule.rate * days
    if amount > rule.ceiling:
        amount = rule.ceiling
    if half_price:
        amount = amount // 2
    return amount

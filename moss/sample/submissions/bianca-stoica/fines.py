"""Library fines - Bianca Stoica

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import heapq
import sys
from collections import Counter
from datetime import date, timedelta
from typing import NamedTuple

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}


class Rule(NamedTuple):
    cents: int
    grace: int
    most: int


RULES = dict(
    book=Rule(cents=25, grace=3, most=1000),
    magazine=Rule(cents=10, grace=3, most=400),
    dvd=Rule(cents=100, grace=1, most=1500),
    equipment=Rule(cents=250, grace=0, most=6000),
)


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def count_sundays(due, back):
    """Sundays after due, not after back."""
    length = (back - due).days
    if length <= 0:
        return 0
    first = 7 - (due.weekday() + 1) % 7
    if length < first:
        return 0
    return 1 + (length - first) // 7


def count_holidays(due, back):
    found = [h for h in HOLIDAYS if due < h <= back and h.weekday() < 6]
    return len(found)


def count_days(due, back):
    length = max((back - due).days, 0)
    return length - count_sundays(due, back) - count_holidays(due, back)


def fine_for(category, due, back, junior=False):
    """Fine of one loan in cents."""
    rule = RULES[category]
    days = count_days(due, back)
    if days <= rule.grace:
        return 0
    amount = rule.cents * days
    if amount > rule.most:
        amount = rule.most
    if junior:
        amount = amount // 2
    return amount


def charge(line, report_day):
    parts = line.split(",")
    if len(parts) != 5:
        raise ValueError("%d fields in the line" % len(parts))
    member, title, category, due_text, back_text = parts
    back = report_day
    if back_text:
        back = parse_date(back_text)
    cents = fine_for(category, parse_date(due_text), back,
                     junior=member.upper().startswith("J"))
    return member, title, cents


class Tally:
    """Counts for the report."""

    def __init__(self):
        self.members = Counter()
        self.titles = Counter()
        self.broken = 0

    def record(self, member, title, cents):
        self.members.update({member: cents})
        self.titles.update({title: cents})


def show_cents(cents):
    whole, rest = divmod(cents, 100)
    return str(whole) + "." + str(rest).zfill(2)


def member_lines(tally):
    width = max((len(name) for name in tally.members), default=5)
    rows = []
    for name, cents in sorted(tally.members.most_common(), key=lambda e: (-e[1], e[0])):
        if cents == 0:
            break
        rows.append(name.ljust(width + 2) + show_cents(cents).rjust(9))
    rows.append("-" * (width + 11))
    rows.append("Total".ljust(width + 2) + show_cents(sum(tally.members.values())).rjust(9))
    return rows


def title_lines(tally):
    top = heapq.nlargest(3, tally.titles, key=tally.titles.__getitem__)
    rows = ["", "Worst titles"]
    for index, title in enumerate(top):
        if tally.titles[title] > 0:
            rows.append(f"{index + 1:>3}. {title}: {show_cents(tally.titles[title])}")
    return rows


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    tally = Tally()
    for line in lines:
        try:
            tally.record(*charge(line, report_day))
        except (ValueError, LookupError):
            tally.broken += 1
    print("\n".join(member_lines(tally) + title_lines(tally)))
    if tally.broken:
        print("skipped:", tally.broken)


if __name__ == "__main__":
    main()

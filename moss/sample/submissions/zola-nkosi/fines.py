"""Library fines 📚 by Zola

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import sys
from abc import ABC, abstractmethod
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}


class Category(Enum):
    BOOK = ("0.25", 3, "10.00")
    MAGAZINE = ("0.10", 3, "4.00")
    DVD = ("1.00", 1, "15.00")
    EQUIPMENT = ("2.50", 0, "60.00")

    def __init__(self, rate, grace, most):
        self.rate = Decimal(rate)
        self.grace = grace
        self.most = Decimal(most)


class Step(ABC):
    """One rule of the assignment; steps are applied one after the other."""

    @abstractmethod
    def apply(self, amount, days, category, member):
        ...


class Grace(Step):
    def apply(self, amount, days, category, member):
        return Decimal(0) if days <= category.grace else amount


class Cap(Step):
    def apply(self, amount, days, category, member):
        return min(amount, category.most)


class JuniorDiscount(Step):
    def apply(self, amount, days, category, member):
        if not member.startswith("J"):
            return amount
        return (amount / 2).quantize(Decimal("0.01"))


STEPS = [Grace(), Cap(), JuniorDiscount()]


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def late_days(due, back):
    """Set arithmetic: all late days minus Sundays minus holidays."""
    every = {due + timedelta(days=k + 1) for k in range((back - due).days)}
    sundays = {d for d in every if d.isoweekday() == 7}
    return len(every - sundays - HOLIDAYS)


class Ledger(dict):
    def __missing__(self, key):
        return Decimal(0)

    def top(self):
        return sorted(self, key=lambda key: (-self[key], key))


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    members = Ledger()
    titles = Ledger()
    oops = []
    for line in lines:
        try:
            member, title, kind, due, back = line.split(",")
            category = Category[kind.upper()]
            days = late_days(parse_date(due), parse_date(back) if back else report_day)
        except (ValueError, KeyError):
            oops.append(line)
            continue
        amount = days * category.rate
        for step in STEPS:
            amount = step.apply(amount, days, category, member)
        members[member] += amount
        titles[title] += amount

    print("💸 who owes what")
    for member in members.top():
        if members[member]:
            print(f"   {member}  {members[member]:>8}")
    print(f"   total {sum(members.values()):>8}")
    print("🙈 worst titles")
    for title in titles.top()[:3]:
        print(f"   {titles[title]:>8}  {title}")
    if oops:
        print("could not use", len(oops), "lines")


if __name__ == "__main__":
    main()

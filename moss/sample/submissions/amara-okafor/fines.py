"""Library fines.

Amara Okafor, exercise 4

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import sys
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Optional

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}


@dataclass(frozen=True)
class Tariff:
    """What one category costs, all amounts in cents."""
    per_day: int
    grace: int
    limit: int


TARIFFS = {
    "book": Tariff(25, 3, 1000),
    "magazine": Tariff(10, 3, 400),
    "dvd": Tariff(100, 1, 1500),
    "equipment": Tariff(250, 0, 6000),
}


@dataclass
class Loan:
    member: str
    title: str
    tariff: Tariff
    due: date
    returned: Optional[date]

    @property
    def is_junior(self):
        return self.member.startswith("J")

    def days_late(self, report_day):
        end = self.returned or report_day
        late = (end - self.due).days
        candidates = (self.due + timedelta(days=n) for n in range(1, late + 1))
        return sum(1 for day in candidates if is_open(day))

    def fine(self, report_day):
        late = self.days_late(report_day)
        if late <= self.tariff.grace:
            return 0
        cents = min(late * self.tariff.per_day, self.tariff.limit)
        return cents // 2 if self.is_junior else cents


def is_open(day):
    return day.weekday() != 6 and day not in HOLIDAYS


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def parse_loan(line):
    """Build a Loan; ValueError or KeyError mean the line is unusable."""
    member, title, category, due, returned = line.split(",")
    return Loan(
        member=member,
        title=title,
        tariff=TARIFFS[category],
        due=parse_date(due),
        returned=parse_date(returned) if returned else None,
    )


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def euros(cents):
    return f"{cents // 100}.{cents % 100:02}"


def print_report(per_member, per_title, skipped):
    owing = [(m, c) for m, c in per_member.items() if c > 0]
    for member, cents in sorted(owing, key=lambda pair: (-pair[1], pair[0])):
        print(f"{member:<10}{euros(cents):>10}")
    print(f"{'Total':<10}{euros(sum(per_member.values())):>10}")
    print()
    print("Worst titles:")
    worst = sorted(per_title, key=per_title.get, reverse=True)[:3]
    for title in worst:
        print(f"  {title} ({euros(per_title[title])})")
    if skipped:
        print(f"{skipped} line(s) skipped")


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    per_member = {}
    per_title = {}
    skipped = 0
    for line in lines:
        try:
            loan = parse_loan(line)
        except (ValueError, KeyError):
            skipped += 1
            continue
        cents = loan.fine(report_day)
        per_member[loan.member] = per_member.get(loan.member, 0) + cents
        if cents:
            per_title[loan.title] = per_title.get(loan.title, 0) + cents
    print_report(per_member, per_title, skipped)


if __name__ == "__main__":
    main()

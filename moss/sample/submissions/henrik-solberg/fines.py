"""Library fines - Henrik Solberg

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import sys
from collections import defaultdict
from datetime import date, timedelta

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}

ONE_DAY = timedelta(days=1)


class BadLine(Exception):
    """The line cannot be charged."""


class Calendar:
    """Knows when the library is open."""

    def __init__(self, holidays):
        self.holidays = frozenset(holidays)

    def is_closed(self, day):
        if day.weekday() == 6:
            return True
        return day in self.holidays

    def open_days_after(self, start, end):
        total = max(0, (end - start).days)
        closed = 0
        for offset in range(total):
            if self.is_closed(start + ONE_DAY * (offset + 1)):
                closed += 1
        return total - closed


class FineBook:
    """Collects fines line by line and prints the report at the end."""

    # category -> (cents per day, grace days, highest fine)
    PRICES = {
        "book": (25, 3, 1000),
        "magazine": (10, 3, 400),
        "dvd": (100, 1, 1500),
        "equipment": (250, 0, 6000),
    }

    def __init__(self, calendar, report_day):
        self.calendar = calendar
        self.report_day = report_day
        self.members = defaultdict(int)
        self.titles = defaultdict(int)
        self.ignored = 0

    def charge(self, category, due, back):
        if category not in self.PRICES:
            raise BadLine("unknown category " + category)
        per_day, grace, highest = self.PRICES[category]
        days = self.calendar.open_days_after(due, back)
        if days <= grace:
            return 0
        return min(days * per_day, highest)

    def split(self, line):
        fields = [field.strip() for field in line.split(",")]
        if len(fields) != 5:
            raise BadLine("need five fields")
        try:
            due = parse_date(fields[3])
            back = parse_date(fields[4]) if fields[4] else self.report_day
        except ValueError as problem:
            raise BadLine("no date") from problem
        return fields[0], fields[1], fields[2], due, back

    def add(self, line):
        try:
            member, title, category, due, back = self.split(line)
            fine = self.charge(category, due, back)
        except BadLine:
            self.ignored += 1
            return
        if member.startswith("J"):
            fine //= 2
        if fine > 0:
            self.members[member] += fine
            self.titles[title] += fine

    @staticmethod
    def ranking(sums):
        return sorted(sums.items(), key=lambda item: (-item[1], item[0]))

    @staticmethod
    def row(label, cents):
        return "{:.<30}{:.>10.2f}".format(label, cents / 100)

    def show(self):
        print("Report for", self.report_day.isoformat())
        for member, cents in self.ranking(self.members):
            print(self.row(member, cents))
        print(self.row("Total", sum(self.members.values())))
        print("Most expensive titles")
        for title, cents in self.ranking(self.titles)[:3]:
            print(self.row(title, cents))
        if self.ignored:
            print("Ignored lines:", self.ignored)


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    fine_book = FineBook(Calendar(HOLIDAYS), report_day)
    for line in lines:
        fine_book.add(line)
    fine_book.show()


if __name__ == "__main__":
    main()

"""Library fines - Salma Idrissi

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import sys
from datetime import date, timedelta
from collections import defaultdict

DAY = timedelta(days=1)

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


class LineError(Exception):
    pass


class Accounts:

    @staticmethod
    def line_of(text, cents):
        return "{:_<30}{:_>10.2f}".format(text, cents / 100)

    @staticmethod
    def sort(sums):
        return sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))

    # category -> (highest fine, grace days, cents per day)
    COSTS = {
        "equipment": (6000, 0, 250),
        "dvd": (1500, 1, 100),
        "magazine": (400, 3, 10),
        "book": (1000, 3, 25),
    }

    def __init__(self, days, today):
        self.skipped = 0
        self.titles = defaultdict(int)
        self.members = defaultdict(int)
        self.today = today
        self.days = days

    def print_all(self):
        print("Fines on", self.today.isoformat())
        for member, cents in self.sort(self.members):
            print(self.line_of(member, cents))
        print(self.line_of("All", sum(self.members.values())))
        print("Top titles")
        for title, cents in self.sort(self.titles)[:3]:
            print(self.line_of(title, cents))
        if self.skipped:
            print("Lines skipped:", self.skipped)

    def book(self, line):
        try:
            title, member, category, back, due = self.fields(line)
            cents = self.cost(category, due, back)
        except LineError:
            self.skipped += 1
            return
        if member.startswith("J"):
            cents //= 2
        if cents > 0:
            self.titles[title] += cents
            self.members[member] += cents

    def fields(self, line):
        parts = [part.strip() for part in line.split(",")]
        if len(parts) != 5:
            raise LineError("fields")
        try:
            back = parse_date(parts[4]) if parts[4] else self.today
            due = parse_date(parts[3])
        except ValueError as error:
            raise LineError("date") from error
        return parts[1], parts[0], parts[2], back, due

    def cost(self, category, due, back):
        if category not in self.COSTS:
            raise LineError("category " + category)
        days = self.days.count(due, back)
        highest, grace, per_day = self.COSTS[category]
        if days <= grace:
            return 0
        return min(days * per_day, highest)


class OpenDays:

    def count(self, start, end):
        closed = 0
        total = max(0, (end - start).days)
        for number in range(total):
            if self.closed_on(start + DAY * (number + 1)):
                closed += 1
        return total - closed

    def closed_on(self, day):
        if day.weekday() == 6:
            return True
        return day in self.holidays

    def __init__(self, holidays):
        self.holidays = frozenset(holidays)


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    lines = read_lines(sys.argv[1])
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    accounts = Accounts(OpenDays(HOLIDAYS), report_day)
    for line in lines:
        accounts.book(line)
    accounts.print_all()


if __name__ == "__main__":
    main()

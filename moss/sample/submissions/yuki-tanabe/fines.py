"""Library fines (Yuki T.)

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import heapq
import sys
from collections import Counter
from datetime import date, timedelta

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}

LIMITS = Counter(book=1000, magazine=400, dvd=1500, equipment=6000)


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def daily_rate(category):
    if category == "book":
        return 25
    elif category == "magazine":
        return 10
    elif category == "dvd":
        return 100
    return 250


def grace_days(category):
    if category in ("book", "magazine"):
        return 3
    return 1 if category == "dvd" else 0


def fine(category, due, returned):
    late = Counter()
    day = returned
    # walk backwards from the return to the due date
    while day > due:
        late[day.isoweekday() == 7 or day in HOLIDAYS] += 1
        day -= timedelta(1)
    open_days = late[False]
    if open_days > grace_days(category):
        return min(LIMITS[category], open_days * daily_rate(category))
    return 0


class Tally:
    """Two counters that are always updated together."""

    def __init__(self):
        self.members = Counter()
        self.titles = Counter()
        self.broken = 0

    def record(self, member, title, cents):
        self.members.update({member: cents})
        self.titles.update({title: cents})

    def feed(self, line, report_day):
        try:
            member, title, category, due, returned = map(str.strip, line.split(","))
            start = parse_date(due)
            stop = report_day if not returned else parse_date(returned)
        except ValueError:
            self.broken += 1
            return
        if LIMITS[category] == 0:
            self.broken += 1
            return
        cents = fine(category, start, stop)
        self.record(member, title, cents // 2 if member[:1] == "J" else cents)


def coins(cents):
    whole, rest = divmod(cents, 100)
    return str(whole) + "." + str(rest).zfill(2)


def member_block(tally):
    width = max((len(name) for name in tally.members), default=5)
    rows = []
    for name, cents in sorted(tally.members.most_common(), key=lambda e: (-e[1], e[0])):
        if cents == 0:
            break
        rows.append(name.ljust(width + 2) + coins(cents).rjust(9))
    rows.append("=" * (width + 11))
    rows.append("Sum".ljust(width + 2) + coins(sum(tally.members.values())).rjust(9))
    return rows


def title_block(tally):
    top = heapq.nlargest(3, tally.titles, key=tally.titles.__getitem__)
    rows = ["", "The worst titles were"]
    for index, title in enumerate(top):
        if tally.titles[title] > 0:
            rows.append(f"{index + 1:>3}. {title}: {coins(tally.titles[title])}")
    return rows


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    tally = Tally()
    for line in lines:
        tally.feed(line, report_day)
    output = member_block(tally) + title_block(tally)
    if tally.broken:
        output.append("")
        output.append(f"({tally.broken} lines could not be read)")
    print("\n".join(output))


if __name__ == "__main__":
    main()

"""Library fines - starter file.

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import re
import sys
from datetime import date, timedelta

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}

# The whole format in one place. An unknown category simply does not match.
LINE = re.compile(
    r"""
    (?P<junior> J )? (?P<rest> [A-Z]? \d+ ) ,
    (?P<title> [^,]+ ) ,
    (?: (?P<book> book ) | (?P<magazine> magazine ) | (?P<dvd> dvd ) | equipment ) ,
    (?P<due> \d{4}-\d{2}-\d{2} ) ,
    (?P<back> \d{4}-\d{2}-\d{2} )?
    """,
    re.VERBOSE,
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


def price(match, days):
    """The fine in cents for so many chargeable days."""
    if match["book"]:
        return 0 if days < 4 else min(1000, days * 25)
    if match["magazine"]:
        return 0 if days < 4 else min(400, days * 10)
    if match["dvd"]:
        return 0 if days < 2 else min(1500, days * 100)
    return min(6000, days * 250)


def open_days(first, last):
    days = 0
    for ordinal in range(first.toordinal() + 1, last.toordinal() + 1):
        # ordinal 7, 14, 21, ... are the Sundays
        if ordinal % 7 != 0 and date.fromordinal(ordinal) not in HOLIDAYS:
            days += 1
    return days


def add_to(table, key, amount):
    try:
        table[key] += amount
    except KeyError:
        table[key] = amount


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    people, works, unreadable = {}, {}, 0
    for text in lines:
        match = LINE.fullmatch(text)
        if match is None:
            unreadable += 1
            continue
        try:
            due = parse_date(match["due"])
            back = parse_date(match["back"]) if match["back"] else report_day
        except ValueError:
            # looks like a date but is none, e.g. 31 April
            unreadable += 1
            continue
        cents = price(match, open_days(due, back))
        if match["junior"]:
            cents = (cents + 1) // 2
        if cents:
            add_to(people, text[: text.index(",")], cents)
            add_to(works, match["title"], cents)

    for person in sorted(people, key=lambda p: (1000000 - people[p], p)):
        print(f"{person}: {people[person] / 100:.2f} EUR")
    print(f"All fines: {sum(people.values()) / 100:.2f} EUR")
    print("Top three titles")
    for rank, (title, cents) in enumerate(
        sorted(works.items(), key=lambda item: item[1], reverse=True)[:3], start=1
    ):
        print(f"{rank}. {title}: {cents / 100:.2f} EUR")
    if unreadable:
        print(f"Skipped {unreadable} of {len(lines)} lines")


if __name__ == "__main__":
    main()

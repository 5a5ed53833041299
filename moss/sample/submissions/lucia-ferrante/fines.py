"""Library fines.

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import sys
from datetime import date, timedelta
from itertools import groupby, islice, takewhile, count
from operator import itemgetter

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}


# --- given -----------------------------------------------------------------

def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


# --- mine: small pure functions ----------------------------------------------

def tariff(per_day, grace, ceiling):
    """A function from chargeable days to cents."""
    return lambda days: min(per_day * days, ceiling) if days > grace else 0


def junior(price):
    return lambda days: price(days) // 2


PRICE_OF = {
    "book": tariff(25, 3, 1000),
    "magazine": tariff(10, 3, 400),
    "dvd": tariff(100, 1, 1500),
    "equipment": tariff(250, 0, 6000),
}


def days_from(start):
    return (start + timedelta(days=n) for n in count(1))


def open_day(day):
    return not (day.strftime("%a") == "Sun" or day in HOLIDAYS)


def chargeable(due, back):
    return len(list(filter(open_day, takewhile(lambda d: d <= back, days_from(due)))))


def attempt(function, *args):
    """The result of the call, or None where it fails on bad input."""
    try:
        return function(*args)
    except (ValueError, KeyError, IndexError):
        return None


def to_fine(line, report_day):
    who, what, category, due, back = line.split(",")
    price = PRICE_OF[category]
    if who[0] == "J":
        price = junior(price)
    until = parse_date(back) if back.strip() else report_day
    return who, what, price(chargeable(parse_date(due), until))


def totals(fines, position):
    """[(key, cents)] for the chosen tuple position, biggest first."""
    ordered = sorted(fines, key=itemgetter(position))
    grouped = (
        (key, sum(map(itemgetter(2), group)))
        for key, group in groupby(ordered, key=itemgetter(position))
    )
    return sorted(grouped, key=lambda kv: kv[1], reverse=True)


def render(pairs):
    return "\n".join(f"{key:20} {cents / 100:7.2f}" for key, cents in pairs)


def report(results):
    fines = [r for r in results if r is not None]
    paid = [f for f in fines if f[2]]
    yield render(totals(paid, 0))
    yield render([("total", sum(f[2] for f in paid))])
    yield "-" * 28
    yield render(islice(totals(paid, 1), 3))
    if len(fines) < len(results):
        yield f"skipped: {len(results) - len(fines)}"


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    results = [attempt(to_fine, line, report_day) for line in lines]
    print(*report(results), sep="\n")


if __name__ == "__main__":
    main()

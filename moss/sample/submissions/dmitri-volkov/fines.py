"""Library fines.

Dmitri Volkov

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

DEBUG = False
VERSION = "1.2"
CURRENCY = "EUR"


def debug(*values):
    """Print something while I am testing."""
    if DEBUG:
        print("DEBUG", *values)


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def tariff(per_day, grace, ceiling):
    """Build the price function of a category."""
    assert per_day > 0
    assert ceiling >= per_day
    return lambda days: min(per_day * days, ceiling) if days > grace else 0


def adult(price):
    """Adults pay the full price."""
    return price


def junior(price):
    """Juniors pay half of it."""
    return lambda days: price(days) // 2


PRICE_OF = {
    "book": tariff(25, 3, 1000),
    "magazine": tariff(10, 3, 400),
    "dvd": tariff(100, 1, 1500),
    "equipment": tariff(250, 0, 6000),
}


def is_number(text):
    """True for texts like '12'."""
    return len(text) > 0 and all(letter in "0123456789" for letter in text)


def days_from(start):
    """Endless days after start."""
    debug("days from", start)
    return (start + timedelta(days=n) for n in count(1))


def open_day(day):
    """Is the library open?"""
    name = day.strftime("%A")
    debug("testing", name)
    return not (day.strftime("%a") == "Sun" or day in HOLIDAYS)


def chargeable(due, back):
    """Number of open days."""
    if back <= due:
        debug("not late at all")
    number = len(list(filter(open_day, takewhile(lambda d: d <= back, days_from(due)))))
    debug("chargeable", number)
    return number


def average(numbers):
    """Mean of a list."""
    result = 0
    for number in numbers:
        result = result + number
    if len(numbers) == 0:
        return 0
    return result / len(numbers)


def attempt(function, *args):
    """Call the function, None if that does not work."""
    debug("attempt", function.__name__)
    try:
        return function(*args)
    except (ValueError, KeyError, IndexError):
        debug("did not work")
        return None


def to_fine(line, report_day):
    """Member, title and cents of a line."""
    length = len(line)
    debug("line of length", length)
    who, what, category, due, back = line.split(",")
    debug("member", who, "title", what)
    price = PRICE_OF[category]
    if is_number(who[1:]):
        debug("looks like a good id")
    if who[0] == "J":
        debug("junior")
        price = junior(price)
    else:
        price = adult(price)
    still_out = not back.strip()
    debug("still out", still_out)
    until = parse_date(back) if back.strip() else report_day
    return who, what, price(chargeable(parse_date(due), until))


def totals(fines, position):
    """Sums for the members (0) or for the titles (1)."""
    if position not in (0, 1):
        debug("strange position", position)
    ordered = sorted(fines, key=itemgetter(position))
    number = len(ordered)
    debug("number of fines", number)
    grouped = (
        (key, sum(map(itemgetter(2), group)))
        for key, group in groupby(ordered, key=itemgetter(position))
    )
    return sorted(grouped, key=lambda kv: kv[1], reverse=True)


def render(pairs):
    """Text with one pair in each line."""
    debug("render")
    return "\n".join(f"{key:20} {cents / 100:7.2f}" for key, cents in pairs)


def longest(texts):
    """Length of the longest text."""
    best = 0
    for text in texts:
        if len(text) > best:
            best = len(text)
    return best


def report(results):
    """All parts of the report."""
    yield "=" * 28
    yield "Library report"
    yield "=" * 28
    fines = [r for r in results if r is not None]
    debug("usable", len(fines))
    paid = [f for f in fines if f[2]]
    debug("average", average([f[2] for f in paid]))
    yield render(totals(paid, 0))
    yield "-" * 28
    yield render([("total", sum(f[2] for f in paid))])
    debug("longest title", longest([f[1] for f in fines]))
    yield "-" * 28
    yield render(islice(totals(paid, 1), 3))
    yield "all amounts in " + CURRENCY
    if len(fines) < len(results):
        debug("some lines were bad")
        yield f"skipped: {len(results) - len(fines)}"


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    debug("version", VERSION)
    debug("lines", len(lines))
    results = [attempt(to_fine, line, report_day) for line in lines]
    if len(results) == 0:
        print("there is nothing to do")
    print(*report(results), sep="\n")
    debug("finished")


if __name__ == "__main__":
    main()

"""Library fines - starter file.

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import csv
import sys
from datetime import date, timedelta

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}

# Cents for each day of delay
DAILY_PRICE = {
    'book': 25,
    'magazine': 10,
    'dvd': 100,
    'equipment': 250,
}
# Days which are forgiven
TOLERANCE = {
    'book': 3,
    'magazine': 3,
    'dvd': 1,
    'equipment': 0,
}
# Upper bounds in cents
UPPER = {
    'book': 1000,
    'magazine': 400,
    'dvd': 1500,
    'equipment': 6000,
}
COLS = ['person', 'item', 'type', 'deadline', 'handed_in']


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def import_data(content, stop_date):
    ok, broken = [], []
    table = csv.DictReader(content, fieldnames=COLS, restkey='more')
    for element in table:
        # too many or too few values
        if 'more' in element or None in element.values():
            broken.append(element)
            continue
        # things we do not lend
        if element['type'] not in DAILY_PRICE:
            broken.append(element)
            continue
        try:
            element['deadline'] = parse_date(element['deadline'])
            if element['handed_in'] == '':
                element['handed_in'] = stop_date
            else:
                element['handed_in'] = parse_date(element['handed_in'])
        except ValueError:
            broken.append(element)
        else:
            ok.append(element)
    return ok, broken


def working_days(begin, finish):
    """How many days was the library open?"""
    amount = 0
    while begin <= finish:
        is_shut = begin in HOLIDAYS or begin.isoweekday() == 7
        if not is_shut:
            amount = amount + 1
        begin = begin + timedelta(days=1)
    return amount


def calculate(entries):
    """Write the delay and the cost into each entry."""
    for element in entries:
        t = element['type']
        delay = working_days(element['deadline'] + timedelta(days=1),
                             element['handed_in'])
        element['delay'] = delay
        element['cost'] = 0
        if delay > TOLERANCE[t]:
            element['cost'] = delay * DAILY_PRICE[t]
            if element['cost'] > UPPER[t]:
                element['cost'] = UPPER[t]
            # children and teenagers
            if element['person'][0] == 'J':
                element['cost'] = element['cost'] // 2


def collect(entries, attribute):
    """List of (cost, value of the attribute), the expensive ones first."""
    table = {}
    for element in entries:
        value = element[attribute]
        if value not in table:
            table[value] = 0
        table[value] += element['cost']
    output = []
    for value in table:
        if table[value] > 0:
            output.append((table[value], value))
    output.sort(key=lambda pair: pair[1])
    output.sort(key=lambda pair: pair[0], reverse=True)
    return output


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    ok, broken = import_data(lines, report_day)
    calculate(ok)

    print('Who has to pay?')
    everything = 0
    for cost, person in collect(ok, 'person'):
        print('  %-12s%10.2f' % (person, cost / 100))
        everything += cost
    print('  %-12s%10.2f' % ('altogether', everything / 100))

    print('Which items were the problem?')
    counter = 1
    for cost, item in collect(ok, 'item')[:3]:
        print('  No. %d: %s (%.2f)' % (counter, item, cost / 100))
        counter += 1

    if len(broken) > 0:
        print('Broken lines: %d' % len(broken))


if __name__ == "__main__":
    main()

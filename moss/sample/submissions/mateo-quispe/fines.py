"""Library fines - starter file.

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import sys
from datetime import date, timedelta

# Days on which the library is closed, besides every Sunday.
HOLIDAYS = {
    date(2024, 3, 29),
    date(2024, 4, 1),
    date(2024, 5, 1),
}


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def chargeable_days(due, returned):
    # same as in the lecture, only with the holidays
    days = 0
    current = due + timedelta(days=1)
    while current <= returned:
        if current.weekday() != 6 and current not in HOLIDAYS:
            days += 1
        current += timedelta(days=1)
    return days


def rules(category):
    # rate, grace, cap
    if category == 'book':
        return 25, 3, 1000
    if category == 'magazine':
        return 10, 3, 400
    if category == 'dvd':
        return 100, 1, 1500
    if category == 'equipment':
        return 250, 0, 6000
    raise ValueError('what is a ' + category + '?')


def compute_fine(fields, report_day):
    rate, grace, cap = rules(fields[2])
    due = parse_date(fields[3])
    if fields[4] == '':
        returned = report_day
    else:
        returned = parse_date(fields[4])
    days = chargeable_days(due, returned)
    # only the days after the grace days cost something
    if days > grace:
        days = days - grace
    else:
        days = 0
    fine = days * rate
    if fine > cap:
        fine = cap
    if fields[0].startswith('J'):
        fine = fine // 2
    return fine


def increase(sums, key, amount):
    if key in sums:
        sums[key] += amount
    else:
        sums[key] = amount


def biggest(sums):
    # key with the biggest sum, the smaller key if there are two
    best = None
    for key in sums:
        if best is None or sums[key] > sums[best]:
            best = key
        elif sums[key] == sums[best] and key < best:
            best = key
    return best


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    fines = {}
    titles = {}
    skipped = 0
    total = 0
    for line in lines:
        fields = line.split(',')
        try:
            fine = compute_fine(fields, report_day)
        except (ValueError, IndexError):
            skipped += 1
        else:
            increase(fines, fields[0], fine)
            increase(titles, fields[1], fine)
            total += fine

    while fines:
        member = biggest(fines)
        if fines[member] == 0:
            break
        print('%s %.2f' % (member, fines.pop(member) / 100))
    print('total %.2f' % (total / 100))

    count = 0
    while titles and count < 3:
        title = biggest(titles)
        print('%s %.2f' % (title, titles.pop(title) / 100))
        count += 1

    if skipped > 0:
        print('skipped', skipped)


if __name__ == "__main__":
    main()

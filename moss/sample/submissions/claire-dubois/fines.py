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

RATES = {"book": 25, "magazine": 10, "dvd": 100, "equipment": 250}
GRACE = {"book": 3, "magazine": 3, "dvd": 1, "equipment": 0}
CAPS = {"book": 1000, "magazine": 400, "dvd": 1500, "equipment": 6000}


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
    """Count the open days after due up to returned (loop from lecture 6)."""
    days = 0
    current = due + timedelta(days=1)
    while current <= returned:
        if current.weekday() != 6 and current not in HOLIDAYS:
            days += 1
        current += timedelta(days=1)
    return days


def compute_fine(member, category, due, returned):
    """Return the fine of one loan in cents."""
    days = chargeable_days(due, returned)
    if days <= GRACE[category]:
        return 0
    fine = min(days * RATES[category], CAPS[category])
    if member.startswith("J"):
        fine = fine // 2
    return fine


def parse_loan(line, report_day):
    """Return the five values of a line, or None if the line is not valid."""
    fields = line.split(",")
    if len(fields) != 5:
        return None
    member, title, category = fields[0], fields[1], fields[2]
    if category not in RATES:
        return None
    try:
        due = parse_date(fields[3])
        returned = report_day
        if fields[4]:
            returned = parse_date(fields[4])
    except ValueError:
        return None
    return member, title, category, due, returned


def format_amount(cents):
    """Write cents as euros with two digits."""
    return f"{cents / 100:.2f}"


def print_members(fines):
    """Print the members, highest fine first, and the total."""
    for member, fine in sorted(fines.items(), key=lambda x: (-x[1], x[0])):
        if fine > 0:
            print(f"{member:<8} {format_amount(fine):>8}")
    print(f"{'Total':<8} {format_amount(sum(fines.values())):>8}")


def print_titles(titles):
    """Print the three worst titles."""
    print("Worst titles:")
    ranked = sorted(titles.items(), key=lambda x: -x[1])
    for title, fine in ranked[:3]:
        print(f"- {title}: {format_amount(fine)}")


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    fines = {}
    titles = {}
    skipped = 0
    for line in lines:
        loan = parse_loan(line, report_day)
        if loan is None:
            skipped += 1
            continue
        member, title, category, due, returned = loan
        fine = compute_fine(member, category, due, returned)
        fines[member] = fines.get(member, 0) + fine
        titles[title] = titles.get(title, 0) + fine
    print_members(fines)
    print_titles(titles)
    if skipped:
        print(f"Skipped lines: {skipped}")


if __name__ == "__main__":
    main()

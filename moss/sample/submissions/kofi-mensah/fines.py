"""Library fines, main program (rules are in rules.py).

Usage: python3 fines.py loans.csv [YYYY-MM-DD]

The second argument is the day of the report (default: today).
"""
import sys
from datetime import date

from rules import fine_for


def parse_date(text):
    """Turn '2024-03-05' into a date; raise ValueError if it is none."""
    year, month, day = text.strip().split("-")
    return date(int(year), int(month), int(day))


def read_lines(path):
    """Return the lines of the file without the header and empty lines."""
    with open(path, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle]
    return [line for line in lines if line and not line.startswith("member,")]


def charge_line(line, report_day):
    """(member, title, cents) of one line."""
    parts = line.split(",")
    if len(parts) != 5:
        raise ValueError("expected 5 fields, got %d" % len(parts))
    member, title, category, due_text, back_text = parts
    back = report_day
    if back_text:
        back = parse_date(back_text)
    cents = fine_for(category, parse_date(due_text), back,
                     half_price=member.upper().startswith("J"))
    return member, title, cents


def rank(sums):
    pairs = [(amount, name) for name, amount in sums.items() if amount]
    # negative amount so that equal amounts come out in order of the name
    return sorted((-amount, name) for amount, name in pairs)


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        sys.exit(2)
    report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
    lines = read_lines(sys.argv[1])
    by_member, by_title, errors = {}, {}, []
    for number, line in enumerate(lines, start=1):
        try:
            member, title, cents = charge_line(line, report_day)
        except (ValueError, LookupError) as error:
            errors.append((number, error))
        else:
            by_member.setdefault(member, []).append(cents)
            by_title.setdefault(title, []).append(cents)
    member_sums = {name: sum(items) for name, items in by_member.items()}
    title_sums = {name: sum(items) for name, items in by_title.items()}
    for minus, name in rank(member_sums):
        print(name.ljust(12), format(-minus / 100, "8.2f"))
    print("TOTAL".ljust(12), format(sum(member_sums.values()) / 100, "8.2f"))
    for minus, name in rank(title_sums)[:3]:
        print("  worst:", name, format(-minus / 100, ".2f"))
    if errors:
        print(len(errors), "lines skipped")


if __name__ == "__main__":
    main()

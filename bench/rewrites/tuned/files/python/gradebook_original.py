"""Grade book: averages of students and courses."""

import sys

PASS_MARK = 5.0


def parse_line(line):
    parts = line.strip().split(";")
    if len(parts) != 3:
        return None
    name = parts[0].strip()
    course = parts[1].strip()
    try:
        mark = float(parts[2])
    except ValueError:
        return None
    if mark < 0 or mark > 10:
        return None
    return name, course, mark


def read_marks(lines):
    marks = []
    errors = 0
    for line in lines:
        if line.strip() == "":
            continue
        entry = parse_line(line)
        if entry is None:
            errors += 1
        else:
            marks.append(entry)
    return marks, errors


def averages(marks, field):
    sums = {}
    counts = {}
    for entry in marks:
        key = entry[field]
        if key not in sums:
            sums[key] = 0.0
            counts[key] = 0
        sums[key] += entry[2]
        counts[key] += 1
    result = {}
    for key in sums:
        result[key] = sums[key] / counts[key]
    return result


def best(table):
    winner = None
    for key in sorted(table):
        if winner is None or table[key] > table[winner]:
            winner = key
    return winner


def print_table(title, table):
    print(title)
    print("-" * len(title))
    for key in sorted(table):
        status = "ok" if table[key] >= PASS_MARK else "below"
        print("%-20s %6.2f  %s" % (key, table[key], status))
    print()


def main():
    with open(sys.argv[1]) as handle:
        marks, errors = read_marks(handle)
    students = averages(marks, 0)
    courses = averages(marks, 1)
    print_table("Students", students)
    print_table("Courses", courses)
    print("Best student:", best(students))
    print("Hardest course:", min(courses, key=courses.get))
    print("Ignored lines:", errors)


if __name__ == "__main__":
    main()

import sys

filename = sys.argv[1] if len(sys.argv) > 1 else "marks.txt"
students = {}
courses = {}
skipped = 0

file = open(filename)
for number, text in enumerate(file, 1):
    text = text.rstrip("\n")
    if not text:
        continue
    if text.count(";") != 2:
        print("line", number, "is wrong")
        skipped = skipped + 1
        continue
    who, what, value = text.split(";")
    if not value.strip().replace(".", "", 1).isdigit():
        print("line", number, "has no number")
        skipped = skipped + 1
        continue
    value = float(value)
    if value > 10:
        skipped = skipped + 1
        continue
    total, n = students.get(who, (0, 0))
    students[who] = (total + value, n + 1)
    total, n = courses.get(what, (0, 0))
    courses[what] = (total + value, n + 1)
file.close()


def average(pair):
    return pair[0] / pair[1]


top = -1
top_name = ""
for who, pair in students.items():
    a = average(pair)
    print(who.ljust(25), format(a, ".1f"), "pass" if a >= 5 else "fail")
    if a > top:
        top = a
        top_name = who

low = 11
low_name = ""
for what, pair in courses.items():
    a = average(pair)
    print(what.ljust(25), format(a, ".1f"))
    if a < low:
        low = a
        low_name = what

print("best:", top_name, "hardest:", low_name)
print(skipped, "lines skipped")

import csv
import sys
from collections import defaultdict


class GradeBook:
    def __init__(self):
        self.by_student = defaultdict(list)
        self.by_course = defaultdict(list)
        self.bad = []

    def add(self, row):
        try:
            student, course, mark = row
            mark = float(mark)
            if not 0 <= mark <= 10:
                raise ValueError(mark)
        except ValueError:
            self.bad.append(row)
            return
        self.by_student[student].append(mark)
        self.by_course[course].append(mark)

    @staticmethod
    def mean(values):
        return round(sum(values) / len(values), 2)

    def ranking(self, groups):
        return sorted(((self.mean(v), k) for k, v in groups.items()), reverse=True)

    def report(self):
        out = []
        for average, student in self.ranking(self.by_student):
            flag = "" if average >= 5 else " (failed)"
            out.append(f"{student}: {average}{flag}")
        out.append("")
        for average, course in self.ranking(self.by_course):
            out.append(f"{course}: {average} from {len(self.by_course[course])} marks")
        out.append(f"best student is {self.ranking(self.by_student)[0][1]}")
        out.append(f"hardest course is {self.ranking(self.by_course)[-1][1]}")
        out.append(f"{len(self.bad)} bad rows")
        return "\n".join(out)


if __name__ == "__main__":
    book = GradeBook()
    with open(sys.argv[1], newline="") as f:
        for row in csv.reader(f, delimiter=";"):
            if row:
                book.add(row)
    print(book.report())

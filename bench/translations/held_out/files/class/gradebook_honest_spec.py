from bisect import bisect
from collections import Counter
from dataclasses import dataclass, field


@dataclass(order=True)
class Student:
    average: float = field(init=False, default=0.0)
    name: str = ""
    marks: tuple = ()
    absent: int = 0

    def compute(self, weights):
        weighted = sum(map(lambda pair: pair[0] * pair[1], zip(self.marks, weights)))
        penalty = max(self.absent - 5, 0) * 2.5
        self.average = weighted / sum(weights) - penalty
        self.average += 1.5 * (self.average > 95)

    @property
    def letter_grade(self):
        return "FDCBA"[bisect([50, 60, 72, 85], self.average)]


class Gradebook(dict):
    def __init__(self, *weights):
        super().__init__()
        self.weights = weights

    def add_student(self, name, marks, absent):
        self[name] = Student(name, marks, absent)

    def ranking(self):
        for student in self.values():
            student.compute(self.weights)
        return sorted(self.values(), reverse=True)

    def failed(self):
        return [name for name, student in self.items() if student.letter_grade == "F"]

    def histogram(self):
        return Counter(student.letter_grade for student in self.values())


book = Gradebook(0.2, 0.3, 0.5)
book.add_student("Amelie", (92, 97, 99), 0)
book.add_student("Boris", (45, 61, 38), 7)
book.add_student("Chen", (70, 66, 81), 2)
book.add_student("Dana", (55, 48, 59), 6)
for place, student in enumerate(book.ranking(), start=1):
    print(place, student.name, round(student.average, 1), student.letter_grade, sep="\t")
print("Failed:", book.failed())
print("Histogram:", dict(book.histogram()))

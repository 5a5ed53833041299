PASS_MARK = 50.0
BONUS_LIMIT = 95.0


class Student:
    def __init__(self, name, marks, absent):
        self.name = name
        self.marks = marks
        self.absent = absent
        self.average = 0.0


class Gradebook:
    def __init__(self, weights):
        self.students = []
        self.weights = weights

    def add_student(self, name, marks, absent):
        student = Student(name, marks, absent)
        self.students.append(student)

    def weighted_average(self, student):
        total = 0.0
        weights = 0.0
        for i, mark in enumerate(student.marks):
            total += mark * self.weights[i]
            weights += self.weights[i]
        if weights == 0:
            return 0
        average = total / weights
        if student.absent > 5:
            average -= 2.5 * (student.absent - 5)
        if average > BONUS_LIMIT:
            average += 1.5
        return average

    def compute(self):
        for student in self.students:
            student.average = self.weighted_average(student)
        self.students.sort(key=lambda student: -student.average)

    def histogram(self):
        histogram = {}
        for student in self.students:
            grade = letter_grade(student.average)
            histogram[grade] = histogram.get(grade, 0) + 1
        return histogram

    def failed(self):
        failed = []
        for student in self.students:
            if student.average < PASS_MARK:
                failed.append(student.name)
        return failed


def letter_grade(average):
    if average >= 85:
        return "A"
    if average >= 72:
        return "B"
    if average >= 60:
        return "C"
    if average >= PASS_MARK:
        return "D"
    return "F"


def main():
    book = Gradebook([0.2, 0.3, 0.5])
    book.add_student("Amelie", [92, 97, 99], 0)
    book.add_student("Boris", [45, 61, 38], 7)
    book.add_student("Chen", [70, 66, 81], 2)
    book.add_student("Dana", [55, 48, 59], 6)
    book.compute()
    for place, student in enumerate(book.students):
        print(f"{place + 1}. {student.name} {student.average:.1f} {letter_grade(student.average)}")
    print("Failed:", book.failed())
    print("Histogram:", book.histogram())


main()

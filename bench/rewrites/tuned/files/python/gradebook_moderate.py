"""Summarise exam results per pupil and per subject."""

import sys

THRESHOLD = 5.0


def decode_record(raw):
    fields = [piece.strip() for piece in raw.strip().split(";")]
    if len(fields) == 3:
        try:
            score = float(fields[2])
        except ValueError:
            return None
        if 0 <= score <= 10:
            return fields[0], fields[1], score
    return None


def mean_by(records, column):
    groups = {}
    for record in records:
        groups.setdefault(record[column], []).append(record[2])
    return {label: sum(values) / len(values) for label, values in groups.items()}


def show(heading, means):
    print(heading)
    print(len(heading) * "-")
    for label, value in sorted(means.items()):
        if value < THRESHOLD:
            verdict = "below"
        else:
            verdict = "ok"
        print(f"{label:<20} {value:6.2f}  {verdict}")
    print()


def highest(means):
    top = None
    for label, value in sorted(means.items()):
        if top is None or means[top] < value:
            top = label
    return top


def load(stream):
    records, rejected = [], 0
    for raw in stream:
        if not raw.strip():
            continue
        record = decode_record(raw)
        if record is not None:
            records.append(record)
            continue
        rejected += 1
    return records, rejected


def run(path):
    with open(path) as source:
        records, rejected = load(source)
    by_pupil, by_subject = mean_by(records, 0), mean_by(records, 1)
    show("Pupils", by_pupil)
    show("Subjects", by_subject)
    print("Top pupil:", highest(by_pupil))
    print("Lowest subject:", min(by_subject, key=by_subject.get))
    print("Rejected rows:", rejected)


if __name__ == "__main__":
    run(sys.argv[1])

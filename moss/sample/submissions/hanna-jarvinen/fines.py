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


def main():
	if len(sys.argv) not in (2, 3):
		print(__doc__)
		sys.exit(2)
	report_day = parse_date(sys.argv[2]) if len(sys.argv) == 3 else date.today()
	lines = read_lines(sys.argv[1])

	ids = []            # the two lists belong together:
	owed = []           # owed[i] is what ids[i] has to pay
	titleNames = []
	titleOwed = []
	skippedLines = 0

	i = 0
	while i < len(lines):
		f = lines[i].split(",")
		i += 1

		# check the line
		if len(f) != 5:
			skippedLines += 1
			continue
		if f[2] != "book" and f[2] != "magazine" and f[2] != "dvd" and f[2] != "equipment":
			skippedLines += 1
			continue
		try:
			due = parse_date(f[3])
			if f[4] == "":
				end = report_day
			else:
				end = parse_date(f[4])
		except ValueError:
			skippedLines += 1
			continue

		# count the days
		late = 0
		d = due
		while d < end:
			d = d + timedelta(days=1)
			if d.weekday() == 6:
				continue
			if d in HOLIDAYS:
				continue
			late += 1

		# price, in cents
		price = 0
		if f[2] == "book" and late > 3:
			price = late * 25
			if price > 1000:
				price = 1000
		if f[2] == "magazine" and late > 3:
			price = late * 10
			if price > 400:
				price = 400
		if f[2] == "dvd" and late > 1:
			price = late * 100
			if price > 1500:
				price = 1500
		if f[2] == "equipment":
			price = late * 250
			if price > 6000:
				price = 6000
		if f[0][0] == "J":
			price = int(price / 2)

		# book it
		if f[0] in ids:
			owed[ids.index(f[0])] += price
		else:
			ids.append(f[0])
			owed.append(price)
		if f[1] in titleNames:
			titleOwed[titleNames.index(f[1])] += price
		else:
			titleNames.append(f[1])
			titleOwed.append(price)

	# selection sort, biggest first
	for a in range(len(ids)):
		m = a
		for b in range(a + 1, len(ids)):
			if owed[b] > owed[m] or (owed[b] == owed[m] and ids[b] < ids[m]):
				m = b
		ids[a], ids[m] = ids[m], ids[a]
		owed[a], owed[m] = owed[m], owed[a]

	total = 0
	for a in range(len(ids)):
		total += owed[a]
		if owed[a] > 0:
			print(ids[a], "owes", owed[a] / 100)
	print("everybody together", total / 100)

	# three times the maximum
	for times in range(3):
		if len(titleOwed) == 0 or max(titleOwed) == 0:
			break
		m = titleOwed.index(max(titleOwed))
		print("bad title:", titleNames[m], titleOwed[m] / 100)
		del titleOwed[m]
		del titleNames[m]

	if skippedLines > 0:
		print("lines skipped", skippedLines)


if __name__ == "__main__":
	main()

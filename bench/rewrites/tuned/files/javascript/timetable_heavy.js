// Room planner: a calendar object per hall, created by a factory.
const clock = (m) => `${Math.trunc(m / 60)}:${String(m % 60).padStart(2, "0")}`;

const hall = (label, capacity) => {
  const reserved = [];
  return {
    label,
    capacity,
    accepts: (course) =>
      capacity >= course.size && !reserved.some(({ from, to }) => course.from < to && from < course.to),
    reserve: (course) => reserved.push(course),
    *report() {
      const busy = reserved.reduce((total, { from, to }) => total + to - from, 0);
      yield `Hall ${label}: busy ${Math.round(busy / 7.2)} percent`;
      for (const { from, to, title } of reserved) yield `\t${clock(from)} to ${clock(to)}: ${title}`;
    },
  };
};

// Halls from small to large, so that the first that accepts a course is the tightest one.
const halls = [hall("A", 100), hall("B", 60), hall("C", 30)].sort((x, y) => x.capacity - y.capacity);

const courses = `
  Algebra 540 630 80
  Physics 600 690 40
  Logic 620 680 25
  Databases 690 780 60
  Ethics 540 600 30
  Networks 660 750 90`
  .trim()
  .split("\n")
  .map((row) => {
    const [title, ...numbers] = row.trim().split(" ");
    const [from, to, size] = numbers.map(Number);
    return { title, from, to, size };
  })
  .sort((x, y) => x.from - y.from || y.size - x.size);

const homeless = courses.filter((course) => {
  const place = halls.find((candidate) => candidate.accepts(course));
  place?.reserve(course);
  return !place;
});

halls
  .sort((x, y) => x.label.localeCompare(y.label))
  .flatMap((place) => [...place.report()])
  .forEach((row) => console.log(row));
if (homeless.length) {
  console.log(`Without a hall: ${homeless.map(({ title }) => title).join(", ")}`);
}

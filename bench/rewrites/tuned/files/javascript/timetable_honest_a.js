class Course {
  constructor(id, day, slot, people) {
    Object.assign(this, { id, day, slot, people });
  }
  get key() {
    return `${this.day}/${this.slot}`;
  }
}

class Planner {
  #rooms;
  #plan = new Map();

  constructor(rooms) {
    this.#rooms = rooms;
  }

  // backtracking over the courses, biggest first
  solve(courses, i = 0) {
    if (i === courses.length) return true;
    const course = courses[i];
    for (const [room, seats] of Object.entries(this.#rooms)) {
      const place = `${room}@${course.key}`;
      if (seats < course.people || this.#plan.has(place)) continue;
      this.#plan.set(place, course.id);
      if (this.solve(courses, i + 1)) return true;
      this.#plan.delete(place);
    }
    return false;
  }

  toString() {
    const rows = [];
    for (const [place, id] of [...this.#plan].sort()) {
      const [room, time] = place.split("@");
      rows.push(`${time.padEnd(6)} ${room.padEnd(8)} ${id}`);
    }
    return rows.join("\n");
  }
}

const courses = [
  new Course("math", "Mo", 1, 120),
  new Course("art", "Mo", 1, 20),
  new Course("music", "Mo", 2, 35),
  new Course("sport", "Tu", 1, 50),
  new Course("latin", "Tu", 1, 15),
].sort((a, b) => b.people - a.people);

const planner = new Planner({ hall: 150, big: 60, small: 24 });
if (planner.solve(courses)) {
  console.log(String(planner));
} else {
  console.log("There is no solution.");
}

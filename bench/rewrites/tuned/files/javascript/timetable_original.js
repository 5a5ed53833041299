// Assign lectures to rooms so that no two overlap in one room.
const lectures = [
  { name: "Algebra", start: 540, end: 630, students: 80 },
  { name: "Physics", start: 600, end: 690, students: 40 },
  { name: "Logic", start: 620, end: 680, students: 25 },
  { name: "Databases", start: 690, end: 780, students: 60 },
  { name: "Ethics", start: 540, end: 600, students: 30 },
  { name: "Networks", start: 660, end: 750, students: 90 },
];

const rooms = [
  { name: "A", seats: 100, bookings: [] },
  { name: "B", seats: 60, bookings: [] },
  { name: "C", seats: 30, bookings: [] },
];

function formatTime(minutes) {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return hours + ":" + (rest < 10 ? "0" + rest : rest);
}

function overlaps(first, second) {
  return first.start < second.end && second.start < first.end;
}

function isFree(room, lecture) {
  for (let i = 0; i < room.bookings.length; i++) {
    if (overlaps(room.bookings[i], lecture)) {
      return false;
    }
  }
  return true;
}

function findRoom(lecture) {
  let best = null;
  for (let i = 0; i < rooms.length; i++) {
    const room = rooms[i];
    if (room.seats >= lecture.students && isFree(room, lecture)) {
      if (best === null || room.seats < best.seats) {
        best = room;
      }
    }
  }
  return best;
}

function assignAll() {
  const failed = [];
  lectures.sort(function (a, b) {
    if (a.start !== b.start) {
      return a.start - b.start;
    }
    return b.students - a.students;
  });
  for (let i = 0; i < lectures.length; i++) {
    const room = findRoom(lectures[i]);
    if (room === null) {
      failed.push(lectures[i]);
    } else {
      room.bookings.push(lectures[i]);
    }
  }
  return failed;
}

function usage(room) {
  let minutes = 0;
  for (let i = 0; i < room.bookings.length; i++) {
    minutes += room.bookings[i].end - room.bookings[i].start;
  }
  return Math.round((100 * minutes) / (12 * 60));
}

function printPlan() {
  for (let i = 0; i < rooms.length; i++) {
    console.log("Room " + rooms[i].name + " (" + usage(rooms[i]) + "% used)");
    for (let j = 0; j < rooms[i].bookings.length; j++) {
      const b = rooms[i].bookings[j];
      console.log("  " + formatTime(b.start) + " - " + formatTime(b.end) + " " + b.name);
    }
  }
}

const failed = assignAll();
printPlan();
for (let i = 0; i < failed.length; i++) {
  console.log("No room for " + failed[i].name);
}

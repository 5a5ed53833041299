const input = process.argv.slice(2);
// arguments: name,from,to e.g. maths,9,11
const rooms = [];

input
  .map((text) => text.split(","))
  .sort((x, y) => x[1] - y[1])
  .forEach(([name, from, to]) => {
    from = Number(from);
    to = Number(to);
    if (!(from < to)) {
      console.log(name, "has no valid time");
      return;
    }
    // the room in which the last lecture ended first
    let r = -1;
    for (let i = 0; i < rooms.length; i++) {
      if (rooms[i].until <= from && (r === -1 || rooms[i].until < rooms[r].until)) r = i;
    }
    if (r === -1) {
      rooms.push({ until: 0, list: [] });
      r = rooms.length - 1;
    }
    rooms[r].until = to;
    rooms[r].list.push({ name, from, to });
  });

const line = (room) => {
  let text = "";
  for (let hour = 8; hour < 20; hour++) {
    const lecture = room.list.find((l) => l.from <= hour && hour < l.to);
    text += lecture ? lecture.name[0].toUpperCase() : "_";
  }
  return text;
};

console.log(rooms.length + " rooms are needed");
rooms.forEach((room, i) => {
  console.log("room", i + 1, line(room));
  while (room.list.length > 0) {
    const l = room.list.shift();
    console.log("   ", l.name, "from", l.from, "to", l.to);
  }
});

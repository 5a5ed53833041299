// Sheet 9: the maze is an array of strings, S is the start, G the goal.
const WALL = "#";
const PATH = ".";

function solve(lines) {
  const width = lines[0].length;
  const maze = lines.join("");
  const start = maze.indexOf("S");
  const goal = maze.indexOf("G");
  if (start < 0 || goal < 0) {
    throw new Error("The maze has no " + (start < 0 ? "S" : "G"));
  }
  const parents = new Map([[start, null]]);
  let frontier = [start];
  while (frontier.length > 0 && !parents.has(goal)) {
    const next = [];
    for (const field of frontier) {
      for (const neighbour of [field - width, field + 1, field + width, field - 1]) {
        if (maze[neighbour] !== WALL && !parents.has(neighbour)) {
          parents.set(neighbour, field);
          next.push(neighbour);
        }
      }
    }
    frontier = next;
  }
  const path = [];
  for (let field = goal; parents.has(field) && field !== null; field = parents.get(field)) {
    path.unshift(field);
  }
  return { path, width };
}

function show(lines, { path, width }) {
  const rows = lines.map((line) => [...line]);
  path.slice(1, -1).forEach((field) => {
    rows[Math.floor(field / width)][field % width] = PATH;
  });
  return rows.map((row) => row.join("")).join("\n");
}

const lines = ["#########", "#S  #   #", "# # # # #", "# #   #G#", "#########"];
const solution = solve(lines);
if (solution.path.length === 0) {
  console.log("No way out");
} else {
  console.log(`Shortest way: ${solution.path.length - 1} steps`);
  console.log(show(lines, solution));
}

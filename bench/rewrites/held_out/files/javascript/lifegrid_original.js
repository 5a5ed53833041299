// Game of life on a torus, with patterns and statistics.
class Life {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.generation = 0;
    this.cells = this.emptyGrid();
  }

  emptyGrid() {
    const grid = [];
    for (let y = 0; y < this.height; y++) {
      grid.push(new Array(this.width).fill(false));
    }
    return grid;
  }

  place(pattern, left, top) {
    for (let y = 0; y < pattern.length; y++) {
      for (let x = 0; x < pattern[y].length; x++) {
        if (pattern[y][x] === "#") {
          this.cells[(top + y) % this.height][(left + x) % this.width] = true;
        }
      }
    }
  }

  neighbours(x, y) {
    let count = 0;
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        if (dx === 0 && dy === 0) continue;
        const nx = (x + dx + this.width) % this.width;
        const ny = (y + dy + this.height) % this.height;
        if (this.cells[ny][nx]) count++;
      }
    }
    return count;
  }

  step() {
    const next = this.emptyGrid();
    let born = 0;
    let died = 0;
    for (let y = 0; y < this.height; y++) {
      for (let x = 0; x < this.width; x++) {
        const count = this.neighbours(x, y);
        if (this.cells[y][x]) {
          next[y][x] = count === 2 || count === 3;
          if (!next[y][x]) died++;
        } else if (count === 3) {
          next[y][x] = true;
          born++;
        }
      }
    }
    this.cells = next;
    this.generation++;
    return { born: born, died: died };
  }

  population() {
    let sum = 0;
    for (const row of this.cells) {
      for (const cell of row) {
        if (cell) sum++;
      }
    }
    return sum;
  }

  print() {
    for (const row of this.cells) {
      console.log(row.map((cell) => (cell ? "#" : ".")).join(""));
    }
  }
}

const glider = [".#.", "..#", "###"];
const blinker = ["###"];
const life = new Life(30, 15);
life.place(glider, 2, 2);
life.place(blinker, 15, 7);
life.place(glider, 28, 13);
for (let i = 0; i < 50; i++) {
  const change = life.step();
  console.log("Generation " + life.generation + ": " + life.population() + " alive, " +
    change.born + " born, " + change.died + " died");
  if (change.born === 0 && change.died === 0) break;
}
life.print();

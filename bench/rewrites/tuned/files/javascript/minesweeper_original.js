// Minesweeper for the terminal.
const readline = require("readline");

class Field {
  constructor() {
    this.mine = false;
    this.open = false;
    this.flag = false;
    this.count = 0;
  }
}

class Minesweeper {
  constructor(width, height, mines) {
    this.width = width;
    this.height = height;
    this.mines = mines;
    this.lost = false;
    this.grid = [];
    for (let y = 0; y < height; y++) {
      const row = [];
      for (let x = 0; x < width; x++) {
        row.push(new Field());
      }
      this.grid.push(row);
    }
    this.placeMines();
  }

  placeMines() {
    let placed = 0;
    while (placed < this.mines) {
      const x = Math.floor(Math.random() * this.width);
      const y = Math.floor(Math.random() * this.height);
      if (!this.grid[y][x].mine) {
        this.grid[y][x].mine = true;
        placed++;
        this.forNeighbours(x, y, (nx, ny) => {
          this.grid[ny][nx].count++;
        });
      }
    }
  }

  forNeighbours(x, y, action) {
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        const nx = x + dx;
        const ny = y + dy;
        if (dx === 0 && dy === 0) continue;
        if (nx < 0 || ny < 0 || nx >= this.width || ny >= this.height) continue;
        action(nx, ny);
      }
    }
  }

  open(x, y) {
    const field = this.grid[y][x];
    if (field.open || field.flag) return;
    field.open = true;
    if (field.mine) {
      this.lost = true;
    } else if (field.count === 0) {
      this.forNeighbours(x, y, (nx, ny) => this.open(nx, ny));
    }
  }

  toggleFlag(x, y) {
    const field = this.grid[y][x];
    if (!field.open) {
      field.flag = !field.flag;
    }
  }

  isWon() {
    for (const row of this.grid) {
      for (const field of row) {
        if (!field.mine && !field.open) return false;
      }
    }
    return true;
  }

  print(showAll) {
    for (const row of this.grid) {
      let text = "";
      for (const field of row) {
        if (field.flag && !showAll) text += "F ";
        else if (!field.open && !showAll) text += "# ";
        else if (field.mine) text += "* ";
        else if (field.count === 0) text += ". ";
        else text += field.count + " ";
      }
      console.log(text);
    }
  }
}

const game = new Minesweeper(9, 9, 10);
const input = readline.createInterface({ input: process.stdin, output: process.stdout });

function turn() {
  game.print(false);
  input.question("open/flag x y: ", (answer) => {
    const [command, x, y] = answer.split(" ");
    if (command === "flag") game.toggleFlag(Number(x), Number(y));
    else if (command === "open") game.open(Number(x), Number(y));
    if (game.lost || game.isWon()) {
      game.print(true);
      console.log(game.lost ? "Boom!" : "You won!");
      input.close();
    } else {
      turn();
    }
  });
}

turn();

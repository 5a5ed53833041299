// Bowling score calculator with input check
class Game {
  constructor(player) {
    this.player = player;
    this.rolls = [];
  }

  roll(pins) {
    if (pins < 0 || pins > 10) {
      throw new Error("Invalid number of pins: " + pins);
    }
    this.rolls.push(pins);
  }

  isStrike(index) {
    return this.rolls[index] === 10;
  }

  isSpare(index) {
    return this.rolls[index] + this.rolls[index + 1] === 10;
  }

  strikeBonus(index) {
    return this.rolls[index + 1] + this.rolls[index + 2];
  }

  score() {
    let total = 0;
    let index = 0;
    for (let frame = 0; frame < 10; frame++) {
      if (this.isStrike(index)) {
        total += 10 + this.strikeBonus(index);
        index += 1;
      } else if (this.isSpare(index)) {
        total += 10 + this.rolls[index + 2];
        index += 2;
      } else {
        total += this.rolls[index] + this.rolls[index + 1];
        index += 2;
      }
    }
    return total;
  }

  grade() {
    const total = this.score();
    if (total === 300) {
      return "perfect game";
    }
    if (total >= 180) {
      return "professional";
    }
    if (total >= 110) {
      return "good";
    }
    return "beginner";
  }
}

function parseLine(line) {
  const parts = line.split(":");
  const game = new Game(parts[0].trim());
  for (const symbol of parts[1].trim().split(" ")) {
    if (symbol === "X") {
      game.roll(10);
    } else if (symbol === "/") {
      game.roll(10 - game.rolls[game.rolls.length - 1]);
    } else if (symbol === "-") {
      game.roll(0);
    } else {
      game.roll(parseInt(symbol));
    }
  }
  return game;
}

function best(games) {
  let winner = games[0];
  for (const game of games) {
    if (game.score() > winner.score()) {
      winner = game;
    }
  }
  return winner;
}

const games = [
  parseLine("Walter: X X X X X X X X X X X X"),
  parseLine("Donny: 9 - 8 / 7 / X 3 4 5 / X X 6 2 8 /  X"),
  parseLine("Smokey: 8 1 7 2 - - 3 3 4 5 9 - 2 2 1 / 6 1 X 5 4"),
];
for (const game of games) {
  console.log(`${game.player} scored ${game.score()} (${game.grade()})`);
}
console.log("The winner is " + best(games).player);

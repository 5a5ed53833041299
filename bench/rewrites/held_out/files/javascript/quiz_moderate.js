// Knowledge test on the command line which remembers the best players.
const prompt = require("readline-sync");
const { existsSync, readFileSync, writeFileSync } = require("fs");

const RECORDS = "records.json";

function mixed(cards) {
  const pile = [...cards];
  let last = pile.length;
  while (last > 1) {
    const pick = Math.floor(last * Math.random());
    last -= 1;
    [pile[last], pile[pick]] = [pile[pick], pile[last]];
  }
  return pile;
}

function parseCards(file) {
  const cards = [];
  readFileSync(file, "utf8").split("\n").forEach((row) => {
    const content = row.slice(1).trim();
    const card = cards[cards.length - 1];
    switch (row[0]) {
      case "?":
        cards.push({ prompt: content, options: [], solution: -1, weight: 1 });
        break;
      case "-":
        card.options.push(content);
        break;
      case "+":
        card.options.push(content);
        card.solution = card.options.length - 1;
        break;
      case "!":
        card.weight = Number.parseInt(content, 10);
        break;
    }
  });
  return cards;
}

function isSolved(card, position) {
  console.log(`${position}. ${card.prompt}`);
  card.options.forEach((option, index) => console.log(`   [${index + 1}] ${option}`));
  let picked;
  do {
    picked = prompt.questionInt("Number: ") - 1;
  } while (picked < 0 || picked >= card.options.length);
  return picked === card.solution;
}

function remember(player, total) {
  const old = existsSync(RECORDS) ? JSON.parse(readFileSync(RECORDS, "utf8")) : [];
  const best = [...old, { player, total }].sort((x, y) => y.total - x.total).slice(0, 5);
  writeFileSync(RECORDS, JSON.stringify(best));
  return best;
}

function play(cards) {
  let total = 0;
  let inRow = 0;
  mixed(cards).slice(0, 10).forEach((card, index) => {
    if (!isSolved(card, index + 1)) {
      inRow = 0;
      console.log(`No: ${card.options[card.solution]}`);
      return;
    }
    inRow = inRow + 1;
    total = total + 10 * card.weight + (inRow > 2 ? 5 : 0);
    console.log("Yes!");
  });
  return total;
}

const player = prompt.question("Who are you? ");
const total = play(parseCards(process.argv[2]));
console.log(`${total} points for ${player}`);
remember(player, total).forEach((record) => console.log(`${record.player} ${record.total}`));

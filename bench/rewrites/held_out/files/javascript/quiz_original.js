// Quiz with multiple choice questions, points and a high score list.
const fs = require("fs");
const readline = require("readline-sync");

const SCORE_FILE = "scores.json";

function loadQuestions(path) {
  const questions = [];
  let current = null;
  const lines = fs.readFileSync(path, "utf8").split("\n");
  for (const line of lines) {
    if (line.startsWith("?")) {
      current = { text: line.slice(1).trim(), answers: [], correct: -1, level: 1 };
      questions.push(current);
    } else if (line.startsWith("!")) {
      current.level = parseInt(line.slice(1));
    } else if (line.startsWith("+")) {
      current.correct = current.answers.length;
      current.answers.push(line.slice(1).trim());
    } else if (line.startsWith("-")) {
      current.answers.push(line.slice(1).trim());
    }
  }
  return questions;
}

function shuffle(list) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    const temp = list[i];
    list[i] = list[j];
    list[j] = temp;
  }
}

function ask(question, number) {
  console.log("Question " + number + ": " + question.text);
  for (let i = 0; i < question.answers.length; i++) {
    console.log("  " + (i + 1) + ") " + question.answers[i]);
  }
  let choice = readline.questionInt("Your answer: ");
  while (choice < 1 || choice > question.answers.length) {
    choice = readline.questionInt("Your answer: ");
  }
  return choice - 1 === question.correct;
}

function run(questions) {
  let points = 0;
  let streak = 0;
  shuffle(questions);
  for (let i = 0; i < questions.length && i < 10; i++) {
    if (ask(questions[i], i + 1)) {
      streak++;
      points += questions[i].level * 10;
      if (streak >= 3) {
        points += 5;
      }
      console.log("Correct!");
    } else {
      streak = 0;
      console.log("Wrong, the answer is " + questions[i].answers[questions[i].correct]);
    }
  }
  return points;
}

function saveScore(name, points) {
  let scores = [];
  if (fs.existsSync(SCORE_FILE)) {
    scores = JSON.parse(fs.readFileSync(SCORE_FILE, "utf8"));
  }
  scores.push({ name: name, points: points });
  scores.sort((a, b) => b.points - a.points);
  scores = scores.slice(0, 5);
  fs.writeFileSync(SCORE_FILE, JSON.stringify(scores));
  return scores;
}

const name = readline.question("Your name: ");
const points = run(loadQuestions(process.argv[2]));
console.log(name + ", you have " + points + " points");
for (const score of saveScore(name, points)) {
  console.log(score.name + ": " + score.points);
}

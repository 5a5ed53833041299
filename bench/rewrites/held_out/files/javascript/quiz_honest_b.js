var questions = [
  ["What is the capital of France?", "Paris", "Lyon", "Nice"],
  ["How many legs has a spider?", "8", "6", "10"],
  ["Which planet is the largest?", "Jupiter", "Saturn", "Mars"],
  ["Who wrote Faust?", "Goethe", "Schiller", "Kafka"],
];
var number = 0;
var score = 0;
var errors = [];

function show() {
  var q = questions[number];
  var box = document.getElementById("question");
  box.textContent = number + 1 + "/" + questions.length + " " + q[0];
  var list = document.getElementById("answers");
  list.innerHTML = "";
  var order = [1, 2, 3];
  order.sort(function () {
    return Math.random() < 0.5 ? 1 : -1;
  });
  for (var k = 0; k < order.length; k++) {
    var button = document.createElement("button");
    button.textContent = q[order[k]];
    button.onclick = answered.bind(null, order[k] == 1);
    list.appendChild(button);
  }
}

function answered(right) {
  if (right) {
    score++;
  } else {
    errors.push(questions[number][0]);
  }
  number++;
  if (number < questions.length) show();
  else finish();
}

function finish() {
  var text = "You have " + score + " points. ";
  if (score == questions.length) text += "Perfect!";
  else if (score > questions.length / 2) text += "Not bad.";
  else text += "Try again.";
  var best = localStorage.getItem("best");
  if (best === null || score > Number(best)) {
    localStorage.setItem("best", score);
    text += " This is a new record.";
  }
  document.getElementById("question").textContent = text;
  document.getElementById("answers").innerHTML = errors.join("<br>");
}

window.onload = show;

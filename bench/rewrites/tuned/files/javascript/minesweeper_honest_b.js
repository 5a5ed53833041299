// runs in a page with <table id="board"></table>
const size = 10;
const table = document.getElementById("board");
let mines = [];
let opened = 0;
let over = false;

function start() {
  table.innerHTML = "";
  mines = [];
  opened = 0;
  over = false;
  for (let i = 0; i < size; i++) {
    const tr = table.insertRow();
    mines[i] = [];
    for (let j = 0; j < size; j++) {
      mines[i][j] = Math.random() < 0.12;
      const td = tr.insertCell();
      td.onclick = () => clicked(i, j);
      td.oncontextmenu = (event) => {
        event.preventDefault();
        if (!td.classList.contains("opened")) td.classList.toggle("marked");
      };
    }
  }
}

function isMine(i, j) {
  return i >= 0 && j >= 0 && i < size && j < size && mines[i][j];
}

function clicked(i, j) {
  const row = table.rows[i];
  const td = row && row.cells[j];
  if (over || !td || td.classList.contains("opened") || td.classList.contains("marked")) return;
  if (isMine(i, j)) {
    over = true;
    alert("Game over");
    return;
  }
  td.classList.add("opened");
  opened = opened + 1;
  let sum = 0;
  for (let k = i - 1; k <= i + 1; k++) {
    for (let l = j - 1; l <= j + 1; l++) {
      if (isMine(k, l)) sum++;
    }
  }
  if (sum > 0) {
    td.textContent = sum;
  } else {
    for (let k = i - 1; k <= i + 1; k++) {
      for (let l = j - 1; l <= j + 1; l++) {
        if (k != i || l != j) clicked(k, l);
      }
    }
  }
  const all = mines.flat().filter((m) => !m).length;
  if (opened == all && !over) {
    over = true;
    alert("Solved!");
  }
}

document.querySelector("button").addEventListener("click", start);
start();

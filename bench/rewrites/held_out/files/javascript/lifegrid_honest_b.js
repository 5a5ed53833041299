function Cell(x, y, isAlive) {
  this.x = x;
  this.y = y;
  this.isAlive = isAlive;
  this.friends = [];
}

Cell.prototype.decide = function () {
  var living = 0;
  this.friends.forEach(function (f) {
    if (f.isAlive) living++;
  });
  if (this.isAlive && (living < 2 || living > 3)) this.will = false;
  else if (!this.isAlive && living == 3) this.will = true;
  else this.will = this.isAlive;
};

Cell.prototype.change = function () {
  var changed = this.will !== this.isAlive;
  this.isAlive = this.will;
  return changed;
};

function build(picture) {
  var all = [];
  picture.forEach(function (line, y) {
    line.split("").forEach(function (sign, x) {
      all.push(new Cell(x, y, sign == "X"));
    });
  });
  var h = picture.length;
  var w = picture[0].length;
  all.forEach(function (a) {
    all.forEach(function (b) {
      var dx = Math.min(Math.abs(a.x - b.x), w - Math.abs(a.x - b.x));
      var dy = Math.min(Math.abs(a.y - b.y), h - Math.abs(a.y - b.y));
      if (a != b && dx <= 1 && dy <= 1) a.friends.push(b);
    });
  });
  return all;
}

var cells = build(["........", "...X....", "....X...", "..XXX...", "........", "........"]);
var rounds = 0;
var changes = 1;
while (changes > 0 && rounds < 20) {
  cells.forEach(function (c) { c.decide(); });
  changes = cells.filter(function (c) { return c.change(); }).length;
  rounds++;
  var line = "";
  cells.forEach(function (c) {
    if (c.x == 0) line += "\n";
    line += c.isAlive ? "X" : ".";
  });
  console.log(line);
}
console.log("rounds: " + rounds + ", changes in the last one: " + changes);

var items = [];
var prices = [];
var counts = [];

function addItem(name, price, count) {
  var index = items.indexOf(name);
  if (index >= 0) {
    counts[index] = counts[index] + count;
  } else {
    items.push(name);
    prices.push(price);
    counts.push(count);
  }
}

function removeItem(name) {
  var index = items.indexOf(name);
  if (index < 0) {
    console.log("You have no " + name);
    return;
  }
  counts[index]--;
  if (counts[index] == 0) {
    items.splice(index, 1);
    prices.splice(index, 1);
    counts.splice(index, 1);
  }
}

function bill(code) {
  var sum = 0;
  var number = 0;
  for (var i = 0; i < items.length; i++) {
    console.log(counts[i] + " x " + items[i] + " = " + counts[i] * prices[i] / 100);
    sum += counts[i] * prices[i];
    number += counts[i];
  }
  var off = 0;
  if (number > 5) off = off + 5;
  if (code == "WELCOME") off = off + 10;
  if (off > 0) {
    console.log("You save " + off + "%");
    sum = Math.round(sum * (100 - off) / 100);
  }
  var post = 0;
  if (sum < 1000) post = 499;
  else if (sum < 3000) post = 299;
  console.log("Post: " + post / 100);
  return (sum + post) / 100;
}

addItem("shirt", 1999, 1);
addItem("socks", 350, 4);
addItem("hat", 1200, 1);
addItem("socks", 350, 2);
removeItem("hat");
removeItem("hat");
removeItem("socks");
console.log("Together: " + bill("WELCOME"));

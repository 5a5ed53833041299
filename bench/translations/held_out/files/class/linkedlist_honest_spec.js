// Sorted list with counts, as on the sheet, written recursively.
const insertInto = (link, number) => {
  if (!link || link.number > number) return { number, copies: 1, next: link };
  if (link.number === number) return { ...link, copies: link.copies + 1 };
  return { ...link, next: insertInto(link.next, number) };
};

const removeFrom = (link, number) => {
  if (!link) return link;
  if (link.number !== number) return { ...link, next: removeFrom(link.next, number) };
  return link.copies === 1 ? link.next : { ...link, copies: link.copies - 1 };
};

class SortedList {
  first = null;

  insert(number) {
    this.first = insertInto(this.first, number);
  }

  remove(number) {
    const there = [...this].some((link) => link.number === number);
    this.first = removeFrom(this.first, number);
    return there;
  }

  *[Symbol.iterator]() {
    for (let link = this.first; link; link = link.next) yield link;
  }

  at(index) {
    const link = [...this][index];
    if (!link) throw new RangeError("Index is outside of the list");
    return link.number;
  }

  sum() {
    return [...this].reduce((total, link) => total + link.number * link.copies, 0);
  }

  reverse() {
    this.first = [...this].reduce((next, link) => ({ ...link, next }), null);
  }

  print() {
    console.log([...this].map((link) => `${link.number}x${link.copies}`).join(" "));
  }
}

const list = new SortedList();
[31, 4, 15, 92, 65, 35, 4, 89, 31, 4].forEach((number) => list.insert(number));
list.print();
console.log(list.remove(4), list.remove(92), list.remove(1000));
console.log("Third: " + list.at(2));
console.log("Sum: " + list.sum());
list.reverse();
list.print();

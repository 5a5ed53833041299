// Basket of a small web shop: rebates, delivery fee and an invoice.
const articles = new Map([
  ["apple", { cost: 0.4, kilos: 0.2 }],
  ["bread", { cost: 2.5, kilos: 0.75 }],
  ["cheese", { cost: 6.2, kilos: 0.5 }],
  ["wine", { cost: 8.9, kilos: 1.3 }],
]);

const NO_FEE_FROM = 50;

class Basket {
  constructor(voucher = null) {
    this.voucher = voucher;
    this.entries = [];
  }

  put(article, pieces) {
    if (articles.has(article)) {
      const entry = this.entries.find((e) => e.article === article);
      if (entry) {
        entry.pieces = entry.pieces + pieces;
      } else {
        this.entries.push({ article, pieces });
      }
      return;
    }
    throw new Error(`We do not sell ${article}`);
  }

  takeOut(article) {
    const place = this.entries.findIndex((e) => e.article === article);
    if (place === -1) {
      return false;
    }
    this.entries.splice(place, 1);
    return true;
  }

  fee() {
    if (!this.entries.length || NO_FEE_FROM <= this.goods()) return 0;
    const kilos = this.entries.reduce((all, e) => all + e.pieces * articles.get(e.article).kilos, 0);
    return Math.ceil(kilos) * 0.5 + 3.9;
  }

  static cost({ article, pieces }) {
    const full = pieces * articles.get(article).cost;
    return pieces < 10 ? full : 0.9 * full;
  }

  goods() {
    let amount = this.entries.reduce((all, e) => all + Basket.cost(e), 0);
    switch (this.voucher) {
      case "HALF":
        amount = amount / 2;
        break;
      case "SAVE5":
        amount = amount - 5;
        break;
    }
    return amount < 0 ? 0 : amount;
  }

  invoice() {
    const rows = this.entries.map(
      (e) => `${e.article.padEnd(12)}${String(e.pieces).padStart(4)}${Basket.cost(e).toFixed(2).padStart(10)}`,
    );
    const fee = this.fee();
    rows.push("Delivery".padEnd(16) + fee.toFixed(2).padStart(10));
    rows.push("To pay".padEnd(16) + (fee + this.goods()).toFixed(2).padStart(10));
    return ["INVOICE", ...rows].join("\n");
  }
}

const basket = new Basket("SAVE5");
for (const [article, pieces] of [["wine", 2], ["apple", 12], ["cheese", 1], ["wine", 1]]) {
  basket.put(article, pieces);
}
basket.takeOut("cheese");
console.log(basket.invoice());

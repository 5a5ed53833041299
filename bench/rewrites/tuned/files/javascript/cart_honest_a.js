"use strict";

function createShop(prices) {
  const amounts = {};
  const discounts = [];

  function total() {
    const raw = Object.entries(amounts).reduce((s, [name, n]) => s + n * prices[name], 0);
    return discounts.reduce((s, discount) => discount(s), raw);
  }

  return {
    buy(name, n = 1) {
      if (prices[name] === undefined) return console.error("sorry, no " + name);
      amounts[name] = (amounts[name] || 0) + n;
    },
    drop(name) {
      delete amounts[name];
    },
    discount(f) {
      discounts.push(f);
    },
    total,
    print() {
      console.table(Object.keys(amounts).map((name) => ({ name, n: amounts[name], each: prices[name] })));
      const shipping = total() > 40 ? 0 : 4.95;
      console.log("goods:", total().toFixed(2), "shipping:", shipping, "sum:", (total() + shipping).toFixed(2));
    },
  };
}

const percent = (p) => (sum) => sum * (1 - p / 100);
const minus = (amount, from) => (sum) => (sum >= from ? sum - amount : sum);

const shop = createShop({ pen: 1.2, book: 15, lamp: 33.5, cup: 4 });
shop.buy("pen", 5);
shop.buy("book");
shop.buy("cup", 2);
shop.buy("sofa");
shop.drop("cup");
shop.discount(percent(10));
shop.discount(minus(3, 20));
shop.print();

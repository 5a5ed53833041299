// Shopping cart with discounts, shipping and a receipt.
const catalog = {
  apple: { price: 0.4, weight: 0.2, group: "fruit" },
  bread: { price: 2.5, weight: 0.75, group: "bakery" },
  cheese: { price: 6.2, weight: 0.5, group: "dairy" },
  wine: { price: 8.9, weight: 1.3, group: "drinks" },
};

const FREE_SHIPPING = 50;

class Cart {
  constructor() {
    this.lines = [];
    this.coupon = null;
  }

  add(product, quantity) {
    if (!(product in catalog)) {
      throw new Error("Unknown product: " + product);
    }
    for (const line of this.lines) {
      if (line.product === product) {
        line.quantity += quantity;
        return;
      }
    }
    this.lines.push({ product: product, quantity: quantity });
  }

  remove(product) {
    for (let i = 0; i < this.lines.length; i++) {
      if (this.lines[i].product === product) {
        this.lines.splice(i, 1);
        return true;
      }
    }
    return false;
  }

  linePrice(line) {
    const price = catalog[line.product].price * line.quantity;
    if (line.quantity >= 10) {
      return price * 0.9;
    }
    return price;
  }

  subtotal() {
    let sum = 0;
    for (const line of this.lines) {
      sum += this.linePrice(line);
    }
    if (this.coupon === "SAVE5") {
      sum -= 5;
    } else if (this.coupon === "HALF") {
      sum *= 0.5;
    }
    return Math.max(sum, 0);
  }

  shipping() {
    if (this.subtotal() >= FREE_SHIPPING || this.lines.length === 0) {
      return 0;
    }
    let weight = 0;
    for (const line of this.lines) {
      weight += catalog[line.product].weight * line.quantity;
    }
    return 3.9 + Math.ceil(weight) * 0.5;
  }

  receipt() {
    let text = "RECEIPT\n";
    for (const line of this.lines) {
      text += line.product.padEnd(12) + String(line.quantity).padStart(4);
      text += this.linePrice(line).toFixed(2).padStart(10) + "\n";
    }
    text += "Shipping".padEnd(16) + this.shipping().toFixed(2).padStart(10) + "\n";
    text += "Total".padEnd(16) + (this.subtotal() + this.shipping()).toFixed(2).padStart(10);
    return text;
  }
}

const cart = new Cart();
cart.add("apple", 12);
cart.add("wine", 2);
cart.add("cheese", 1);
cart.add("wine", 1);
cart.remove("cheese");
cart.coupon = "SAVE5";
console.log(cart.receipt());

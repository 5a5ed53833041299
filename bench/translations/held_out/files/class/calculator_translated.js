class Calculator {
  constructor() {
    this.tokens = [];
    this.position = 0;
    this.variables = {};
  }

  tokenize(input) {
    const result = [];
    let i = 0;
    while (i < input.length) {
      const ch = input[i];
      if (ch === " ") {
        i++;
      } else if (isDigit(ch)) {
        const begin = i;
        while (i < input.length && (isDigit(input[i]) || input[i] === ".")) {
          i++;
        }
        result.push(input.substring(begin, i));
      } else if (isLetter(ch)) {
        const begin = i;
        while (i < input.length && isLetter(input[i])) {
          i++;
        }
        result.push(input.substring(begin, i));
      } else {
        result.push(ch);
        i++;
      }
    }
    result.push("END");
    return result;
  }

  peek() {
    return this.tokens[this.position];
  }

  accept(token) {
    if (this.peek() === token) {
      this.position++;
      return true;
    }
    return false;
  }

  expression() {
    let value = this.term();
    while (true) {
      if (this.accept("+")) {
        value += this.term();
      } else if (this.accept("-")) {
        value -= this.term();
      } else {
        return value;
      }
    }
  }

  term() {
    let value = this.factor();
    while (true) {
      if (this.accept("*")) {
        value *= this.factor();
      } else if (this.accept("/")) {
        const divisor = this.factor();
        if (divisor === 0) {
          throw new Error("Division by zero");
        }
        value /= divisor;
      } else {
        return value;
      }
    }
  }

  factor() {
    if (this.accept("-")) {
      return -this.factor();
    }
    if (this.accept("(")) {
      const value = this.expression();
      if (!this.accept(")")) {
        throw new Error("Closing parenthesis expected");
      }
      return value;
    }
    const token = this.peek();
    this.position++;
    if (isDigit(token[0])) {
      return parseFloat(token);
    }
    if (!(token in this.variables)) {
      throw new Error("Unknown variable " + token);
    }
    return this.variables[token];
  }

  evaluate(input) {
    this.tokens = this.tokenize(input);
    this.position = 0;
    const value = this.expression();
    if (this.peek() !== "END") {
      throw new Error("Unexpected " + this.peek());
    }
    return value;
  }
}

function isDigit(ch) {
  return ch >= "0" && ch <= "9";
}

function isLetter(ch) {
  return /[a-z]/i.test(ch);
}

const calculator = new Calculator();
calculator.variables["pi"] = 3.14159;
calculator.variables["answer"] = 42.0;
for (const input of ["1 + 2 * 3", "(1 + 2) * -3", "2 * pi * 6371", "answer / (7 - 7)", "4 +"]) {
  try {
    console.log(input + " = " + calculator.evaluate(input));
  } catch (e) {
    console.log(input + ": " + e.message);
  }
}

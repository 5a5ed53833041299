const mod = (a, n) => ((a % n) + n) % n;

class Cipher {
  constructor(key) {
    this.shifts = typeof key === "number" ? [key] : [...key.toLowerCase()].map((c) => c.codePointAt() - 97);
  }

  apply(text, sign) {
    let i = 0;
    return text.replace(/[a-z]/gi, (c) => {
      const first = c <= "Z" ? 65 : 97;
      const shift = sign * this.shifts[i++ % this.shifts.length];
      return String.fromCodePoint(mod(c.codePointAt() - first + shift, 26) + first);
    });
  }

  encode(text) {
    return this.apply(text, 1);
  }

  decode(text) {
    return this.apply(text, -1);
  }
}

function crack(secret) {
  // the most frequent letter should be an e, t or a
  const counts = {};
  for (const c of secret.toLowerCase().match(/[a-z]/g) ?? []) counts[c] = (counts[c] ?? 0) + 1;
  const [top] = Object.entries(counts).sort((a, b) => b[1] - a[1])[0];
  return ["e", "t", "a"].map((guess) => {
    const key = top.codePointAt() - guess.codePointAt();
    return new Cipher(key).decode(secret);
  });
}

const c = new Cipher("lemon");
const secret = c.encode("Attack at dawn!");
console.log(secret, c.decode(secret));
const simple = new Cipher(7).encode("The weather is better than yesterday");
console.log(simple);
crack(simple).forEach((guess, i) => console.log(`guess ${i + 1}: ${guess}`));

// Classic substitution codes: fixed rotation, keyword rotation, and guessing the rotation.
const ENGLISH = [8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2.0, 6.1, 7.0, 0.2, 0.8, 4.0, 2.4,
  6.7, 7.5, 1.9, 0.1, 6.0, 6.3, 9.1, 2.8, 1.0, 2.4, 0.2, 2.0, 0.1];
const SIZE = 26;
const BASE = "a".charCodeAt(0);

function ordinal(sign) {
  const code = sign.toLowerCase().charCodeAt(0) - BASE;
  return code >= 0 && code < SIZE ? code : null;
}

function rotate(sign, by) {
  const at = ordinal(sign);
  if (at !== null) {
    const turned = String.fromCharCode(BASE + ((SIZE + by + at) % SIZE));
    return sign.toUpperCase() === sign ? turned.toUpperCase() : turned;
  }
  return sign;
}

function guessRotation(message) {
  const histogram = Array(SIZE).fill(0);
  let letters = 0;
  for (const sign of message) {
    const at = ordinal(sign);
    if (at === null) continue;
    histogram[at] += 1;
    letters += 1;
  }
  const distances = [];
  let by = 0;
  while (by < SIZE) {
    distances.push(
      ENGLISH.reduce((sum, percent, at) => {
        const ideal = (letters * percent) / 100;
        return sum + (histogram[(by + at) % SIZE] - ideal) ** 2 / ideal;
      }, 0),
    );
    by += 1;
  }
  return distances.indexOf(Math.min(...distances));
}

function keyed(message, keyword, direction) {
  let used = 0;
  const signs = [...message].map((sign) => {
    const by = direction * ordinal(keyword[used % keyword.length]);
    used += ordinal(sign) === null ? 0 : 1;
    return rotate(sign, by);
  });
  return signs.join("");
}

const fixed = (message, by) => [...message].map((sign) => rotate(sign, by)).join("");

function main([what, message, secret]) {
  switch (what) {
    case "break": {
      const by = guessRotation(message);
      return `rotated by ${by}, it reads ${fixed(message, -by)}`;
    }
    case "decrypt":
      return keyed(message, secret, -1);
    case "encrypt":
      return keyed(message, secret, 1);
    case "caesar":
      return fixed(message, Number(secret));
    default:
      return "Say caesar, encrypt, decrypt or break, then the message and the secret";
  }
}

console.log(main(process.argv.slice(2)));

// Caesar and Vigenere cipher, with breaking by frequencies.
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const FREQUENCIES = [8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2.0, 6.1, 7.0, 0.2, 0.8, 4.0, 2.4,
  6.7, 7.5, 1.9, 0.1, 6.0, 6.3, 9.1, 2.8, 1.0, 2.4, 0.2, 2.0, 0.1];

function shiftLetter(letter, shift) {
  const index = ALPHABET.indexOf(letter.toUpperCase());
  if (index === -1) {
    return letter;
  }
  const shifted = ALPHABET[(index + shift + 26) % 26];
  if (letter === letter.toLowerCase()) {
    return shifted.toLowerCase();
  }
  return shifted;
}

function caesar(text, shift) {
  let result = "";
  for (let i = 0; i < text.length; i++) {
    result += shiftLetter(text[i], shift);
  }
  return result;
}

function vigenere(text, key, decrypt) {
  let result = "";
  let position = 0;
  for (let i = 0; i < text.length; i++) {
    let shift = ALPHABET.indexOf(key[position % key.length].toUpperCase());
    if (decrypt) {
      shift = -shift;
    }
    if (ALPHABET.includes(text[i].toUpperCase())) {
      position++;
    }
    result += shiftLetter(text[i], shift);
  }
  return result;
}

function countLetters(text) {
  const counts = new Array(26).fill(0);
  for (let i = 0; i < text.length; i++) {
    const index = ALPHABET.indexOf(text[i].toUpperCase());
    if (index >= 0) {
      counts[index]++;
    }
  }
  return counts;
}

function breakCaesar(text) {
  const counts = countLetters(text);
  const total = counts.reduce((a, b) => a + b, 0);
  let bestShift = 0;
  let bestError = Infinity;
  for (let shift = 0; shift < 26; shift++) {
    let error = 0;
    for (let i = 0; i < 26; i++) {
      const expected = (FREQUENCIES[i] / 100) * total;
      const difference = counts[(i + shift) % 26] - expected;
      error += (difference * difference) / expected;
    }
    if (error < bestError) {
      bestError = error;
      bestShift = shift;
    }
  }
  return { shift: bestShift, text: caesar(text, -bestShift) };
}

const [mode, text, key] = process.argv.slice(2);
if (mode === "caesar") {
  console.log(caesar(text, parseInt(key)));
} else if (mode === "encrypt") {
  console.log(vigenere(text, key, false));
} else if (mode === "decrypt") {
  console.log(vigenere(text, key, true));
} else if (mode === "break") {
  const result = breakCaesar(text);
  console.log("Shift " + result.shift + ": " + result.text);
} else {
  console.log("Usage: cipher caesar|encrypt|decrypt|break text [key]");
}

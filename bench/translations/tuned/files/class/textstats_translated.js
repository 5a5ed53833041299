const VOWELS = "aeiou";
const STOPWORDS = ["the", "and", "of", "to", "in", "that", "was"];

function clean(word) {
  let result = "";
  for (const ch of word.toLowerCase()) {
    if (ch >= "a" && ch <= "z") {
      result += ch;
    }
  }
  return result;
}

function countWords(text) {
  const counts = {};
  for (const raw of text.split(/\s+/)) {
    const word = clean(raw);
    if (word === "" || STOPWORDS.includes(word)) {
      continue;
    }
    if (word in counts) {
      counts[word] += 1;
    } else {
      counts[word] = 1;
    }
  }
  return counts;
}

function syllables(word) {
  let number = 0;
  let previous = false;
  for (const ch of word) {
    const isVowel = VOWELS.includes(ch);
    if (isVowel && !previous) {
      number += 1;
    }
    previous = isVowel;
  }
  if (word.endsWith("e") && number > 1) {
    number -= 1;
  }
  return number;
}

function sentences(text) {
  let number = 0;
  for (const ch of text) {
    if (ch === "." || ch === "!" || ch === "?") {
      number += 1;
    }
  }
  return Math.max(number, 1);
}

function readingEase(text) {
  const words = text.split(/\s+/);
  let total = 0;
  for (const word of words) {
    total += syllables(clean(word));
  }
  return 206.835 - (1.015 * words.length) / sentences(text) - (84.6 * total) / words.length;
}

function topWords(counts, limit) {
  const pairs = Object.entries(counts).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  return pairs.slice(0, limit);
}

function longestWord(counts) {
  let longest = "";
  for (const word of Object.keys(counts)) {
    if (word.length > longest.length) {
      longest = word;
    }
  }
  return longest;
}

function report(text) {
  const counts = countWords(text);
  console.log("Different words:", Object.keys(counts).length);
  console.log("Sentences:", sentences(text));
  console.log("Longest word:", longestWord(counts));
  console.log("Reading ease: " + readingEase(text).toFixed(1));
  for (const [word, number] of topWords(counts, 5)) {
    console.log(`${word.padStart(15)} ${"*".repeat(number)}`);
  }
}

report("It was the best of times, it was the worst of times. What a piece of work is a man! Is it so?");

const students = [
  { name: "Lena", tests: [78, 85, 91], project: 88 },
  { name: "Omar", tests: [52, 49, 61], project: 70 },
  { name: "Yuki", tests: [95, 99, 100], project: 97 },
  { name: "Ivan", tests: [30, 44, 41], project: 55 },
];

const mean = (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length;

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

const deviation = (numbers) => {
  const m = mean(numbers);
  return Math.sqrt(mean(numbers.map((n) => (n - m) ** 2)));
};

function dropLowest(tests) {
  const lowest = Math.min(...tests);
  const position = tests.indexOf(lowest);
  return tests.filter((_, i) => i !== position);
}

function finalMark({ tests, project }) {
  return Math.round(0.7 * mean(dropLowest(tests)) + 0.3 * project);
}

function grade(mark) {
  const scale = [
    [93, "1.0"],
    [80, "2.0"],
    [65, "3.0"],
    [50, "4.0"],
  ];
  const step = scale.find(([limit]) => mark >= limit);
  return step ? step[1] : "5.0";
}

const results = students
  .map((student) => ({ ...student, mark: finalMark(student) }))
  .sort((a, b) => b.mark - a.mark);

for (const { name, mark } of results) {
  console.log(name.padEnd(8), String(mark).padStart(3), grade(mark));
}
const marks = results.map((r) => r.mark);
console.log(`median ${median(marks)}, deviation ${deviation(marks).toFixed(2)}`);
console.log("passed:", results.filter((r) => grade(r.mark) !== "5.0").length);

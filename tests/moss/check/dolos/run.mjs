// What @dodona/dolos-lib 3.5.1 (MIT) says of the folder `class`, in the columns that its command line writes:
// NODE_PATH=... node run.mjs FOLDER_OF_THIS_FILE
import { Dolos } from "@dodona/dolos-lib";
import { writeFileSync } from "fs";

const folder = `${process.argv[2]}/class`;
const report = await new Dolos({ language: "java" }).analyzePaths([`${folder}/info.csv`]);
const path = (file) => file.path.replace(`${folder}/`, "");
const columns = {
  id: (pair) => pair.id,
  leftFileId: (pair) => pair.leftFile.id,
  leftFilePath: (pair) => path(pair.leftFile),
  rightFileId: (pair) => pair.rightFile.id,
  rightFilePath: (pair) => path(pair.rightFile),
  similarity: (pair) => pair.similarity,
  totalOverlap: (pair) => pair.overlap,
  longestFragment: (pair) => pair.longest,
  leftCovered: (pair) => pair.leftCovered,
  rightCovered: (pair) => pair.rightCovered,
};
const rows = report.allPairs().map((pair) => Object.values(columns).map((column) => column(pair)));
const lines = [Object.keys(columns), ...rows].map((row) => `${row.join(",")}\n`);
writeFileSync(`${process.argv[2]}/pairs.csv`, lines.join(""));
const files = [...report.entries(), ...report.ignoredEntries()].map(({ file, isIgnored }) => ({
  path: path(file),
  ignored: isIgnored,
  extra: file.extra,
}));
writeFileSync(`${process.argv[2]}/files.json`, `${JSON.stringify(files, null, 2)}\n`);

// Write the Dolos scores of all pairs of files in a folder to a CSV file.
// Arguments: FOLDER OUT. NODE_PATH must name the folder that has @dodona/dolos-lib.
import { readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, out] = process.argv.slice(2);
const library = createRequire(import.meta.url).resolve("@dodona/dolos-lib");
const { Dolos } = await import(pathToFileURL(library));
const paths = readdirSync(folder).sort().map((name) => join(folder, name));
const quoted = (path) => `"${basename(path).replaceAll('"', '""')}"`;
const lines = ["left,right,similarity,overlap"];
if (paths.length > 1) {
  const report = await new Dolos().analyzePaths(paths);
  for (const pair of report.allPairs()) {
    const left = quoted(pair.leftFile.path);
    const right = quoted(pair.rightFile.path);
    lines.push([left, right, pair.similarity, pair.overlap].join(","));
  }
}
writeFileSync(out, lines.join("\n") + "\n");

// The flows of docs/architecture.md: for each the files that a value passes, in its order, and the names that an event has on its
// way.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./sources.ts";

export interface Flow {
  name: string;
  /** From the repository's root. */
  files: string[];
}

const sectionsOf = (text: string, mark: RegExp): { name: string; code: string[] }[] =>
  [...text.matchAll(mark)].map(({ 1: name = "", 2: body = "" }) => ({
    name,
    code: [...body.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word),
  }));

/** A list stands between `<!-- flow: <name> -->` and `<!-- end -->`; what it names is in code marks. */
export const readFlows = (): { flows: Flow[]; names: string[] } => {
  const text = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
  const flows = sectionsOf(text, /<!-- flow: (.*?) -->([\s\S]*?)<!-- end -->/g);
  const names = sectionsOf(text, /<!-- names: (.*?) -->([\s\S]*?)<!-- end -->/g);
  return {
    flows: flows.map(({ name, code }) => ({ name, files: code.filter((word) => /\.tsx?$/.test(word)) })),
    names: names.flatMap(({ code }) => code),
  };
};

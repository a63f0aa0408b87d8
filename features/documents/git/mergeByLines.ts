// The merge of documents with `agent_doc_write: merge`: git's own, which marks what both changed in the same lines.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWhole } from "../model/components.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import { gitIn } from "./git.ts";

type Merge = (base: string, agent: string, person: string) => Promise<string>;

/** Where conflict marks would tear components apart, the texts are merged as in other documents. */
export const mergeByLines = (root: string, env: Readonly<Record<string, string | undefined>>): Merge => {
  const run = gitIn(root, env);
  return async (base, agent, person) => {
    if (person === base || agent === person) return agent;
    const folder = await mkdtemp(join(tmpdir(), "agtmux-merge-"));
    try {
      const paths = ["person", "base", "agent"].map((name) => join(folder, name));
      for (const [index, text] of [person, base, agent].entries()) await writeFile(paths[index] ?? "", text);
      const labels = ["-L", "you", "-L", "before", "-L", "agent"];
      const { code, stdout } = await run(["merge-file", "-p", ...labels, ...paths]);
      const isMerged = code >= 0 && code < 128 && isWhole(stdout);
      return isMerged ? stdout : mergeTexts(base, agent, person);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
};

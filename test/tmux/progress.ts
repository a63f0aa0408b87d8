// What passed already, kept beside other temporary files for as long as the tree is the same.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import type { Outcome } from "./parts.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const outcomeSchema = z.object({ passed: z.number(), skipped: z.number(), failed: z.array(z.string()) });
const stateSchema = z.object({ tree: z.string(), passed: z.record(z.string(), outcomeSchema) });

/** The files as git sees them, changed ones too, but for documents: a table that is written must not undo what it tells. */
const treeNow = (): string => {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
  const files = [":!docs", ":!*.md"];
  const listed = git("ls-tree", "-r", "HEAD").replaceAll(/^.*\t(?:docs\/.*|.*\.md)\n/gm, "");
  const changed = git("diff", "HEAD", "--", ".", ...files);
  const untracked = git("ls-files", "--others", "--exclude-standard", "--", ".", ...files);
  return createHash("sha256").update(`${listed}\0${changed}\0${untracked}`).digest("hex");
};

export interface Progress {
  /** How the part did; null: it has not passed yet. */
  passed(part: string): Outcome | null;
  note(part: string, outcome: Outcome): void;
}

export const openProgress = ({ isFresh }: { isFresh: boolean }): Progress => {
  const path = join(tmpdir(), "agtmux-test-tmux.json");
  const tree = treeNow();
  const kept = (): z.infer<typeof stateSchema> => {
    try {
      const state = stateSchema.parse(JSON.parse(readFileSync(path, "utf8")));
      if (state.tree === tree) return state;
    } catch {
      // Nothing was kept.
    }
    return { tree, passed: {} };
  };
  if (isFresh) rmSync(path, { force: true });
  return {
    passed: (part) => kept().passed[part] ?? null,
    // Read again each time: another version may be running beside this one.
    note: (part, outcome) => {
      const { passed } = kept();
      writeFileSync(path, JSON.stringify({ tree, passed: { ...passed, [part]: outcome } }));
    },
  };
};

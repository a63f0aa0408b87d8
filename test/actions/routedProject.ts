// A project with a document, in a folder of the tests that route it to agents.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StartHarness } from "../workspaces/startHarness.ts";

export const openProject = ({ root }: StartHarness, name: string): string => {
  const folder = join(root, name);
  mkdirSync(join(folder, ".agent-doc"), { recursive: true });
  writeFileSync(join(folder, "plan.md"), "# Plan\n");
  return folder;
};
export const registryFile = (folder: string): string => join(folder, ".agent-doc", "sessions.json");
/** The pane of each document. */
export const claims = (folder: string): Record<string, string> => {
  if (!existsSync(registryFile(folder))) return {};
  const entries = JSON.parse(readFileSync(registryFile(folder), "utf8")) as Record<
    string,
    { file: string; pane: string }
  >;
  return Object.fromEntries(Object.values(entries).map(({ file, pane }) => [file, pane]));
};

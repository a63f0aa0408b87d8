// Where npm puts Claude Code's program: what lies there is one, whatever it does. Its name alone would be none.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** A path below `root`; its folder is made. */
export const agentFile = (root: string): string => {
  const path = join(root, "node_modules", "@anthropic-ai", "claude-code", "bin", "claude");
  mkdirSync(dirname(path), { recursive: true });
  return path;
};

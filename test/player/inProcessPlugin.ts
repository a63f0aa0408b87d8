// The plugin of a played agent whose events come from inside its process: a host loads the file that an integration
// installed and calls it with the agent's events. The host bears the pane's environment as the agent would.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const HOST = fileURLToPath(new URL("pluginHost.mjs", import.meta.url));

export interface InProcessPlugin {
  /** Resolves when the plugin's handler has returned: as in the agent, its file may be written a moment later. */
  event(name: string, payload: Record<string, unknown>): Promise<void>;
  /** Ends the host and resolves when it is gone; what was sent before is written. */
  close(): Promise<void>;
}

/** Null where nothing is installed. */
export const loadPlugin = (options: {
  kind: "opencode" | "extension";
  file: string;
  cwd: string;
  /** Of the played agent. */
  pid: number;
  env: Readonly<Record<string, string>>;
}): InProcessPlugin | null => {
  if (!existsSync(options.file)) return null;
  const child = spawn(
    process.execPath,
    ["--no-warnings", HOST, options.kind, options.file, String(options.pid)],
    {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const answers: (() => void)[] = [];
  const gone = new Promise<void>((resolve) => {
    child.on("exit", () => {
      resolve();
      for (const answer of answers.splice(0)) answer();
    });
  });
  createInterface({ input: child.stdout }).on("line", () => answers.shift()?.());
  return {
    event: (event, payload) =>
      new Promise((resolve) => {
        answers.push(resolve);
        child.stdin.write(`${JSON.stringify({ event, payload })}\n`);
      }),
    close: async () => {
      child.stdin.end();
      await gone;
    },
  };
};

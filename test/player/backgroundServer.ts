// Runs hooks as an agent's background server does: in a process that is not in the pane, with the environment of the pane
// that once started the server.
import { spawn } from "node:child_process";

/** Resolves when the command has ended; fails where it printed something or did not succeed, which agents would show. */
export const runInBackground = (
  command: string,
  payload: string,
  env: Readonly<Record<string, string>>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0 && output === "") resolve();
      else reject(new Error(`the hook ended with ${String(code)} and printed ${JSON.stringify(output)}`));
    });
    child.stdin.on("error", () => {
      // A hook may leave without reading.
    });
    child.stdin.end(payload);
  });

// Another user of the same machine: a child that gives up root for a user id without a name. Only root can make one.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The id that systems keep for nobody. */
export const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;

/** Runs the body of an async function as that user; gives what it returns as text, or `error <code>`. */
export const asNobody = async (body: string, ...words: readonly string[]): Promise<string> => {
  const program = `
    process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY}); process.umask(0);
    const fs = require("node:fs"), net = require("node:net"), path = require("node:path");
    const words = process.argv.slice(1);
    (async () => { ${body} })().then(
      (value) => console.log(String(value)),
      (error) => console.log("error " + (error.code ?? error.message)),
    );`;
  const { stdout } = await run(process.execPath, ["-e", program, "--", ...words], { timeout: 20_000 });
  return stdout.trim();
};

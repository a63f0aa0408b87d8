// Another user who reads the arguments of every process, over and over: /proc shows them to everybody. And a tmux that
// writes down its own, because a call of a few milliseconds may begin and end between two readings.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRoot, NOBODY } from "./otherUser.ts";

/** The words come on its input: its own arguments are read as well. */
const PROGRAM = `
  const { readdirSync, readFileSync } = require("node:fs");
  if (process.argv[1] !== "") {
    process.setgroups([]);
    process.setgid(Number(process.argv[1]));
    process.setuid(Number(process.argv[1]));
  }
  let text = "", words = null, rounds = 0;
  const seen = new Set();
  const look = () => {
    for (const pid of readdirSync("/proc")) {
      if (!/^\\d+$/.test(pid)) continue;
      let line = "";
      try { line = readFileSync("/proc/" + pid + "/cmdline", "utf8"); } catch { continue; }
      if (words.some((word) => line.includes(word))) seen.add(line.replaceAll("\\0", " "));
    }
    if ((rounds += 1) === 1) console.log("reading");
    timer = setImmediate(look);
  };
  let timer;
  process.stdin.setEncoding("utf8").on("data", (part) => {
    text += part;
    if (words === null && text.includes("\\n")) { words = JSON.parse(text.slice(0, text.indexOf("\\n"))); look(); }
  });
  process.stdin.on("end", () => { clearImmediate(timer); console.log(JSON.stringify({ seen: [...seen], rounds })); });`;

/** Looks for the words in every command line of this machine until it is stopped. Linux only. */
export const spyOnArguments = async (words: readonly string[]) => {
  const user = isRoot ? String(NOBODY) : "";
  const child = spawn(process.execPath, ["-e", PROGRAM, "--", user], { stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (said += part));
  child.stdin.write(`${JSON.stringify(words)}\n`);
  await once(child.stdout, "data");
  return {
    /** Ends it. `seen`: command lines with one of the words; `rounds`: how often it read all of them. */
    stop: async (): Promise<{ seen: string[]; rounds: number }> => {
      child.stdin.end();
      await once(child, "close");
      return JSON.parse(said.split("\n")[1] ?? "") as { seen: string[]; rounds: number };
    },
  };
};

export interface RecordedTmux {
  /** A folder for PATH, and the program in it. */
  readonly folder: string;
  readonly path: string;
  /** The arguments of all calls so far. */
  calls(): string;
}

/** A tmux in `folder` that writes down its arguments before it becomes the real one. */
export const recordTmux = (folder: string): RecordedTmux => {
  const path = join(folder, "tmux");
  const log = join(folder, "arguments");
  mkdirSync(folder, { recursive: true });
  const real = (process.env["PATH"] ?? "")
    .split(":")
    .map((one) => join(one, "tmux"))
    .find((one) => existsSync(one));
  if (real === undefined) throw new Error("there is no tmux");
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" >>'${log}'\nexec '${real}' "$@"\n`);
  chmodSync(path, 0o755);
  return { folder, path, calls: () => (existsSync(log) ? readFileSync(log, "utf8") : "") };
};

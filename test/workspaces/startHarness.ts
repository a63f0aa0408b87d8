// A daemon on a private tmux, with a program `claude` that only the person's own shell finds. It draws an input box, takes
// `--resume <id>`, and tells of its session by the installed hook, as the agent does.
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PaneView } from "../../core/model/view.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { openCommandLine, serveDaemon, type CommandLine, type Finished } from "../harness/commandLine.ts";

const SCRIPT = fileURLToPath(new URL("../actions/boxAgent.mjs", import.meta.url));

export interface StartHarness extends Harness {
  /** A folder for the tests, which is removed with the tmux server's. */
  readonly root: string;
  /** Runs the command line with `PWD` in the folder. */
  cli(folder: string, ...args: readonly string[]): Promise<Finished>;
  /** Every start: where, and with which arguments. */
  starts(): { folder: string; args: string }[];
  /** What was submitted to the agent that works in the folder. */
  received(folder: string): string[];
  agents(): PaneView[];
  /** Gives a tmux server that was just started the home and shell of the test's person. */
  settle(): Promise<void>;
  /** Another daemon on the same home. */
  restart(): Promise<void>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** `options`: of every box, as JSON. */
export const openStartHarness = async (options: object = {}): Promise<StartHarness> => {
  const harness = await openHarness({ SHELL: "/bin/bash" });
  const { tmux, daemon } = harness;
  const root = join(tmux.folder, "work");
  const bin = join(daemon.home, "own-bin");
  const script = join(tmux.folder, "lib/@anthropic-ai/claude-code/cli.mjs");
  for (const folder of [root, bin, dirname(script)]) mkdirSync(folder, { recursive: true });
  copyFileSync(SCRIPT, script);
  const log = join(root, "..", "starts");
  const box = [process.execPath, script].map(quoted).join(" ");
  const program = `#!/bin/sh
id=$(cat /proc/sys/kernel/random/uuid); [ "$1" != --resume ] || id=$2
printf '%s\\t%s\\n' "$PWD" "$*" >>${quoted(log)}
printf '{"hook_event_name":"SessionStart","source":"startup","session_id":"%s","cwd":"%s"}' "$id" "$PWD" |
${quoted(daemon.eventScript)} claude SessionStart
exec ${box} "$PWD/.received" ${quoted(JSON.stringify(options))}
`;
  writeFileSync(join(bin, "claude"), program);
  chmodSync(join(bin, "claude"), 0o755);
  appendFileSync(join(daemon.home, ".bash_profile"), `PATH=${quoted(bin)}:$PATH\n`);
  const settle = async (): Promise<void> => {
    await tmux.run("set-option", "-g", "default-shell", "/bin/bash");
    await tmux.run("set-environment", "-g", "HOME", daemon.home);
  };
  await settle();
  let stop = await serveDaemon(daemon);
  const lines: CommandLine[] = [];
  return {
    ...harness,
    get service() {
      return harness.service;
    },
    root,
    cli: async (folder, ...args) => {
      const line = openCommandLine(daemon.paths.home, { PWD: folder });
      lines.push(line);
      return line.run(args);
    },
    starts: () =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .trimEnd()
            .split("\n")
            .map((one) => ({ folder: one.split("\t")[0] ?? "", args: one.split("\t")[1] ?? "" }))
        : [],
    received: (folder) => {
      const file = join(folder, ".received");
      if (!existsSync(file)) return [];
      const text = readFileSync(file, "utf8").trimEnd();
      return text === ""
        ? []
        : text.split("\n").map((one) => (one === "escape" ? one : String(JSON.parse(one))));
    },
    settle,
    agents: () => daemon.rows().filter(({ state }) => state !== null),
    restart: async () => {
      await stop();
      await daemon.restart();
      stop = await serveDaemon(daemon);
    },
    close: async () => {
      for (const line of lines) await line.close();
      await stop();
      await harness.close();
    },
  };
};

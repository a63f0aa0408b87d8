// An agent that hangs in the middle of a turn: its process is stopped by a signal, so that nothing on its screen moves, and a program
// that config.json names as a channel has to be told. Before that, while the turn moves on, it must not be.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { untilTrue } from "../rig/livePane.ts";
import { USUAL_START, type Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import { ask, completeTurn } from "./turns.ts";

/** The least that config.json takes. */
const STALLED_AFTER_MS = 60_000;
const LATE_MS = 10_000;
const TURN_SECONDS = 200;
/** The agent draws its turn, and agtmux has seen it. */
const BEGUN_MS = 8_000;

/** The group of processes in front of the pane, and the shell that waits for it: it would say that its job has stopped. */
const processesOf = async ({ pane }: Stage): Promise<number[]> => {
  const shell = Number(await pane.show("#{pane_pid}"));
  const { stdout } = await promisify(execFile)("ps", ["-o", "tpgid=", "-p", String(shell)]);
  const group = Number(stdout.trim());
  return group > 1 && group !== shell ? [shell, -group] : [shell];
};

const signal = (processes: readonly number[], name: "SIGSTOP" | "SIGCONT"): void => {
  for (const pid of processes) process.kill(pid, name);
};

const hang = async (stage: Stage, told: () => string): Promise<string | null> => {
  await ask(stage, `SLOW ${TURN_SECONDS} n${stage.next()}`);
  await wait(BEGUN_MS);
  const processes = await processesOf(stage);
  const from = Date.now();
  signal(processes, "SIGSTOP");
  try {
    const at = await untilTrue(() => told() !== "", STALLED_AFTER_MS + LATE_MS);
    if (at === null) return "the channel was not told";
    if (at - from < STALLED_AFTER_MS - BEGUN_MS)
      return `it was told ${at - from} ms after the agent had stopped`;
    return told().includes("has shown nothing new") ? null : told();
  } finally {
    signal(processes.toReversed(), "SIGCONT");
  }
};

const stalled: Scenario = {
  name: "stall",
  steps: ["stall_turn", "stall_told"],
  start: USUAL_START,
  run: async (stage) => {
    const home = stage.rig.product.env["AGTMUX_HOME"] ?? "";
    const file = join(home, "told.jsonl");
    const bell = { name: "bell", kind: "command", argv: ["sh", "-c", `cat >> '${file}'`], events: [] };
    const config = { channels: [bell], notifications: { stalled_after_ms: STALLED_AFTER_MS } };
    writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
    await completeTurn(stage, "stall_turn", `SAY ready n${stage.next()}`);
    const problem = await hang(stage, () => (existsSync(file) ? readFileSync(file, "utf8") : ""));
    await stage.did("stall_told", problem === null, problem ?? "");
    await stage.pane.press(stage.rig.agent.keys.interrupt);
  },
};

export const STALL_SCENARIOS: readonly Scenario[] = [stalled];

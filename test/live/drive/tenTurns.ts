// Ten turns in a row by `send`, `wait` and `answer` alone, as a script would: no second try, no look at the screen. Each is held
// against the model's requests: a `wait` that comes back while the agent still works has told the wrong thing.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { CanonicalState } from "../../../core/model/state.ts";
import type { LiveAgent } from "../agents/liveAgent.ts";
import { untilTrue } from "../rig/livePane.ts";
import { act, isRefusedByRule, promptAgent, referenceOf, waitFor, wasRefused } from "./act.ts";
import { type Scenario, USUAL_START } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import { ask, completeTurn, hasFile, hasOpenExchange } from "./turns.ts";

// An agent that hangs in the middle of a turn: its process is stopped by a signal, so that nothing on its screen moves, and a program
// that config.json names as a channel has to be told. Before that, while the turn moves on, it must not be.

/** The least that config.json takes. */
const STALLED_AFTER_MS = 60_000;
const LATE_MS = 10_000;
const STALLED_SECONDS = 200;
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
  await ask(stage, `SLOW ${STALLED_SECONDS} n${stage.next()}`);
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

const TURN_SECONDS = 40;
const WORKING_MS = 3_000;

interface Turn {
  prompt(agent: LiveAgent, number: number): string;
  /** The answer to what it asks; null: it isn't asking anything. */
  answer: readonly string[] | null;
  /** It is interrupted once it runs. */
  isStopped?: boolean;
  ends: readonly CanonicalState[];
  /** What must be there afterwards beside the state. */
  isTrue?(stage: Stage, number: number, since: number): boolean;
}

const fileOf = (number: number): string => `live-${number}.txt`;
const say = (text: string): Turn => ({
  prompt: (_agent, number) => `SAY ${text} n${number}`,
  answer: null,
  ends: ["completed"],
});
const slow = (prompt: string): Turn => ({
  prompt: (_agent, number) => `${prompt} n${number}`,
  answer: null,
  ends: ["completed"],
});
const run = (answer: string, isMade: boolean): Turn => ({
  prompt: ({ prompts }, number) => prompts.approval(fileOf(number)),
  answer: [answer],
  ends: isMade ? ["completed"] : ["idle", "completed"],
  isTrue: (stage, number) => hasFile(stage, fileOf(number)) === isMade,
});
const ASK: Turn = {
  prompt: () => "ASK",
  answer: ["--option", "2"],
  ends: ["completed"],
  isTrue: (stage, _number, since) =>
    stage.since(since).some(({ toolResult }) => toolResult?.includes("Blue") === true),
};
const stopped: Turn = { ...slow("SLOW 60"), isStopped: true, ends: ["idle"] };
const failing: Turn = { ...slow("FAIL 400"), ends: ["error"] };

/** An agent that may ask only in a mode of its own, or not at all, says something instead. */
const turnsOf = ({ markers, keys }: LiveAgent): readonly Turn[] => [
  say("one"),
  slow("SLOW 6"),
  run("--approve", true),
  markers.ask === null || keys.askMode.length > 0 ? say("four") : ASK,
  run("--deny", false),
  say("six"),
  slow("THINK 5"),
  stopped,
  failing,
  say("ten"),
];

/** What went wrong in the turn; null: nothing did. */
const takeTurn = async (stage: Stage, planned: Turn): Promise<string | null> => {
  const isRefused = planned.answer !== null && isRefusedByRule(stage, planned.answer);
  const turn: Turn = isRefused ? { ...run("--approve", false) } : planned;
  const [number, since] = [stage.next(), Date.now()];
  const { ref, version } = await referenceOf(stage);
  const prompt = turn.prompt(stage.rig.agent, number);
  if (turn.answer === null) {
    const sent = await act(stage, "send", ref, "--text", prompt, "--json");
    if (sent.code !== 0) return `send: ${sent.said}`;
  } else {
    const prompted = await promptAgent(stage, prompt);
    if (typeof prompted === "string") return prompted;
    const guard = ["--if-prompt", prompted.fingerprint, "--json"];
    const answered = await act(stage, "answer", ref, ...turn.answer, ...guard);
    if (isRefusedByRule(stage, turn.answer)) {
      // It may be denied, and is.
      if (!wasRefused(answered)) return `answer: approved what was not shown whole: ${answered.said}`;
      const denied = await act(stage, "answer", ref, "--deny", ...guard);
      if (denied.code !== 0) return `answer --deny: ${denied.said}`;
    } else if (answered.code !== 0) return `answer: ${answered.said}`;
  }
  if (turn.isStopped === true) {
    const { row, acted } = await waitFor(stage, { ref, until: "running", after: version, seconds: 10 });
    if (row === null) return `wait for running: ${acted.said}`;
    await wait(WORKING_MS);
    const stop = await act(stage, "interrupt", ref, "--json");
    if (stop.code !== 0) return `interrupt: ${stop.said}`;
  }
  const until = "completed,idle,error";
  const { row, acted } = await waitFor(stage, { ref, until, after: version, seconds: TURN_SECONDS });
  if (row === null || row.state === null) return `wait: ${acted.said}`;
  if (hasOpenExchange(stage, since)) return `wait came back with ${row.state} while the agent still works`;
  if (!turn.ends.includes(row.state))
    return `ended ${row.state}/${row.reason_code}, not ${turn.ends.join(" or ")}`;
  return turn.isTrue?.(stage, number, since) === false ? "the answer had not the effect that it says" : null;
};

const COUNT = 10;
const nameOf = (index: number): string => `turn_${index + 1}`;

const tenTurns: Scenario = {
  name: "ten_turns",
  steps: Array.from({ length: COUNT }, (_, index) => nameOf(index)),
  run: async (stage) => {
    for (const [index, turn] of turnsOf(stage.rig.agent).entries()) {
      const problem = await takeTurn(stage, turn);
      await stage.did(nameOf(index), problem === null, problem ?? "");
      if (problem === null) continue;
      // The next turn must not pay for this one.
      await stage.pane.press(stage.rig.agent.keys.interrupt);
      await wait(2_500);
    }
  },
};

export const TURN_SCENARIOS: readonly Scenario[] = [tenTurns];

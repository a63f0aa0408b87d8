// Ten turns in a row by `send`, `wait` and `answer` alone, as a script would: no second try, no look at the screen. Each is held
// against the model's requests: a `wait` that comes back while the agent still works has told the wrong thing.
import { setTimeout as wait } from "node:timers/promises";
import type { CanonicalState } from "../../../core/model/state.ts";
import type { LiveAgent } from "../agents/liveAgent.ts";
import { act, isRefusedByRule, promptAgent, referenceOf, waitFor, wasRefused } from "./act.ts";
import type { Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import { hasFile, hasOpenExchange } from "./turns.ts";

const TURN_SECONDS = 40;
const WORKING_MS = 3_000;

interface Turn {
  prompt(agent: LiveAgent, number: number): string;
  /** The answer to what it asks; null: it asks nothing. */
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
const ask: Turn = {
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
  markers.ask === null || keys.askMode.length > 0 ? say("four") : ask,
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

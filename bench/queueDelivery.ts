// How long after an agent came to rest the next text of its queue has arrived: a program that draws an input box as agents do, takes
// real keys, and notes when it got each text.
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { DaemonClient } from "../core/rpc/socketClient.ts";
import type { PrivateTmux } from "../test/harness/privateTmux.ts";
import { until } from "../test/setup/realClock.ts";
import { spreadOf, type Spread } from "./statistics.ts";

const SCRIPT = fileURLToPath(new URL("../test/actions/boxAgent.mjs", import.meta.url));
const TURN_MS = 1_500;
const LOOK_MS = 5;
const LIMIT_MS = 90_000;
const HOUR_MS = 3_600_000;

export interface TurnAgent {
  readonly paneId: string;
  readonly pid: number;
  readonly sessionId: string;
}

export interface DeliveryScene {
  readonly client: DaemonClient;
  readonly tmux: PrivateTmux;
  /** For the program and its notes. */
  readonly folder: string;
  /** A session of tmux in which its window is opened. */
  readonly session: string;
  /** Drops an event as the agent's hook does. Null: nothing but the screen tells of its turns. */
  readonly drop: ((agent: TurnAgent, event: string) => void) | null;
}

const openAgent = async ({ tmux, folder, session }: DeliveryScene, times: string): Promise<TurnAgent> => {
  const script = join(folder, "@anthropic-ai", "claude-code", "cli.mjs");
  mkdirSync(dirname(script), { recursive: true });
  copyFileSync(SCRIPT, script);
  const options = JSON.stringify({ turnMs: TURN_MS, times });
  const command = `exec '${process.execPath}' '${script}' '${join(folder, "received")}' '${options}'`;
  const format = "#{pane_id} #{pane_pid}";
  const opened = await tmux.run("new-window", "-d", "-P", "-F", format, "-t", `${session}:`, command);
  const [paneId = "", pid = ""] = opened.split(" ");
  return { paneId, pid: Number(pid), sessionId: crypto.randomUUID() };
};

const runtimeOf = async (client: DaemonClient, paneId: string): Promise<string> => {
  let found: string | null = null;
  await until(
    async () => {
      const { items } = await client.call((api) => api.panes.query({}));
      const row = items.find(({ identity }) => identity.pane_id === paneId);
      found = row?.state === "idle" ? row.identity.runtime_id : null;
      return found !== null;
    },
    "the agent rests",
    LIMIT_MS,
  );
  return found ?? "";
};

/** When the agent noted this for the so-manieth time, epoch ms. */
const noted = async (times: string, what: "got" | "ended", count: number): Promise<number> => {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const lines = existsSync(times) ? readFileSync(times, "utf8").split("\n") : [];
    const found = lines.filter((line) => line.startsWith(`${what} `))[count - 1];
    if (found !== undefined) return Number(found.slice(what.length));
    if (performance.now() > deadline)
      throw new Error(`bench: the agent ${what} nothing within ${LIMIT_MS} ms`);
    await wait(LOOK_MS);
  }
};

/** From the end of a turn, as its hook or else its screen tells it, until the text has been submitted. */
export const measureDelivery = async (scene: DeliveryScene, rounds: number): Promise<Spread> => {
  const times = join(scene.folder, "times");
  const agent = await openAgent(scene, times);
  const runtimeId = await runtimeOf(scene.client, agent.paneId);
  const arm = (text: string): Promise<unknown> =>
    scene.client.forward("automation.send", "mutation", {
      runtimeId,
      trigger: { kind: "ready" },
      text,
      expiresMs: HOUR_MS,
      surface: "bench",
    });
  const sample: number[] = [];
  await arm("the first text");
  for (let round = 1; round <= rounds; round += 1) {
    await noted(times, "got", round);
    scene.drop?.(agent, "UserPromptSubmit");
    await arm(`text ${round}`);
    let ready = await noted(times, "ended", round);
    if (scene.drop !== null) {
      // The end of a turn must not fall in step with the looks.
      await wait((137 * round) % 900);
      ready = Date.now();
      scene.drop(agent, "Stop");
    }
    sample.push((await noted(times, "got", round + 1)) - ready);
  }
  return spreadOf(sample);
};

// What a channel costs that takes answers, beside one that only tells, and none: a connection to an ntfy server on loopback, which
// keeps it alive as often as a real one does.
import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { openNtfyServer, type NtfyServer } from "../test/fakes/ntfyServer.ts";
import { createHarness, type Harness } from "./benchHarness.ts";
import { familyCpuOf, residentMbOf } from "./processCost.ts";

const QUIET_MS = 3_000;
const ASKED_MS = 30_000;

interface Cost {
  /** Percent of a core. */
  readonly cpu: number;
  readonly residentMb: number;
}

export interface AnswersCost {
  readonly none: Cost;
  readonly telling: Cost;
  readonly answering: Cost;
  /** From a button to the message that says what came of it, for an answer that is too late. */
  readonly roundTripMs: number;
}

const costOf = async (pid: number, stretchMs: number): Promise<Cost> => {
  await wait(Math.min(QUIET_MS, stretchMs));
  const [before, from] = [familyCpuOf(pid), performance.now()];
  await wait(stretchMs);
  const after = familyCpuOf(pid);
  const seconds = after.own + after.children - before.own - before.children;
  return { cpu: (seconds / ((performance.now() - from) / 1_000)) * 100, residentMb: residentMbOf(pid) };
};

/** A request is asked and answered elsewhere; then its button is pressed. */
const timeAnswer = async (harness: Harness, server: NtfyServer): Promise<number> => {
  const [agent] = harness.agents;
  if (agent === undefined) throw new Error("bench wishes: there is no agent");
  harness.drop(agent, "UserPromptSubmit", { prompt: "go on" });
  agent.frame("waiting_approval");
  const limit = performance.now() + ASKED_MS;
  const find = (isIt: (title: string) => boolean) =>
    server.all("topic").findLast(({ title = "" }) => isIt(title));
  const until = async (isIt: () => boolean): Promise<void> => {
    while (!isIt()) {
      if (performance.now() > limit) throw new Error("bench wishes: the phone shows nothing");
      await wait(1);
    }
  };
  await until(() => find((title) => title.includes("needs a permission"))?.actions !== undefined);
  const message = find((title) => title.includes("needs a permission"));
  agent.frame("idle_fresh");
  await until(() => server.shown("topic").length === 0);
  const from = performance.now();
  if (message !== undefined) await server.press(message, "Deny");
  await until(() => find((title) => title === "Too late") !== undefined);
  return performance.now() - from;
};

/** The same daemon in all three, one after the other. */
export const measureAnswers = async (stretchMs: number): Promise<AnswersCost> => {
  const harness = await createHarness({ panes: 20, agents: 10 });
  const server = await openNtfyServer();
  const daemon = await harness.startDaemon();
  const use = async (answers: boolean | null): Promise<void> => {
    const channel = { name: "phone", kind: "ntfy", url: `${server.base}topic`, include: "request", answers };
    writeFileSync(harness.paths.config, JSON.stringify({ channels: answers === null ? [] : [channel] }));
    await daemon.client.forward("configGet", "query", undefined);
    if (answers !== true) return;
    const limit = performance.now() + ASKED_MS;
    while (server.streams.length === 0) {
      if (performance.now() > limit) throw new Error("bench wishes: the channel is not subscribed");
      await wait(10);
    }
  };
  try {
    await wait(Math.min(QUIET_MS, stretchMs));
    const none = await costOf(daemon.pid, stretchMs);
    await use(false);
    const telling = await costOf(daemon.pid, stretchMs);
    await use(true);
    const answering = await costOf(daemon.pid, stretchMs);
    return { none, telling, answering, roundTripMs: await timeAnswer(harness, server) };
  } finally {
    await daemon.stop();
    await server.close();
    await harness.close();
  }
};

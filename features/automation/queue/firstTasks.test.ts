// First texts over a real store: which agent gets one, what another pane of the same id gets (nothing), and what a restart of the
// daemon leaves.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { useStore } from "../../../test/factories/store.ts";
import { makePane, type PaneOptions } from "../../../test/factories/view.ts";
import { handClock } from "../../../test/workspaces/handClock.ts";
import type { PaneView } from "../../../core/model/view.ts";
import { SILENT_LOGGER } from "../../../core/ports/logger.ts";
import type { DurableStore } from "../../../core/store/durableStore.ts";
import { FirstTaskQueue } from "./firstTasks.ts";
import { partOf } from "../../../test/fakes/partOf.ts";

const LIFE = "100 1700000000 200";
const SECRET = `ghp_${"aB3dE6gH9j".repeat(3)}K2m4P6`;
let root: string;
let store: DurableStore;
let clock = handClock();
let row: PaneView | null;
/** What tmux says of the pane now; null: its machine cannot be reached. */
let life: string | null;
let told: string[];
let kept: string[];
let bound: number;
let tasks: FirstTaskQueue;

const open = (): void => {
  let ids = 0;
  tasks = new FirstTaskQueue({
    context: partOf({
      rows: partOf({ all: () => (row === null ? [] : [row]) }),
      jobs: store,
      target: () => {
        if (life === null) throw new Error("it is not reached");
        const said = life;
        return {
          tmux: () => ({
            server: "default",
            run: () =>
              Promise.resolve({
                exitCode: said === "" ? 1 : 0,
                stdout: `${said}\n`,
                stderr: "",
                timedOut: false,
              }),
          }),
        } as never;
      },
      redact: (text) => text.replace(SECRET, "[redacted]"),
      clock,
      ids: { next: (prefix) => `${prefix}_${(ids += 1)}`, nonce: () => "" },
      isReady: () => true,
      logger: SILENT_LOGGER,
    }),
    keepInMemory: (_jobId, text) => kept.push(text),
    reasonOf: () => "its agent works",
    onBound: () => (bound += 1),
    tell: (_job, why) => told.push(why),
  });
};
const pass = async (ms: number): Promise<void> => {
  for (let at = 0; at < ms; at += 250) {
    clock.advance(250);
    await new Promise<void>((next) => setImmediate(next));
  }
};
const show = (options: PaneOptions | null): void => {
  row = options === null ? null : makePane(options);
};
const arm = (text = "go") =>
  tasks.arm({
    place: { agentType: "claude", target: "host", server: "default", paneId: "%1", life: LIFE },
    text,
    surface: "cli",
  });

useStore(
  () => clock.now(),
  (opened, folder) => ([store, root] = [opened, folder]),
);
beforeEach(() => {
  clock = handClock();
  [row, life, told, kept, bound] = [null, LIFE, [], [], 0];
  open();
});
afterEach(async () => {
  await tasks.close();
});

it("a task becomes a text of the agent that appears in its pane, once", async () => {
  const { jobId, isStored } = arm();
  show({ state: null, agent: null });
  await pass(3_000);
  expect([store.getJob(jobId)?.kind, isStored, tasks.outcomeOf(jobId).prompt]).toEqual([
    "first",
    true,
    "waiting",
  ]);
  show({ state: "waiting_approval", reason: "trust_folder" });
  await pass(1_000);
  expect(store.getJob(jobId)).toMatchObject({
    kind: "send",
    agent: { runtimeId: "rt1" },
    text: "go",
    isFirst: true,
    trigger: { kind: "ready" },
    state: "armed",
  });
  expect([bound, tasks.armedCount, tasks.outcomeOf(jobId)]).toEqual([
    1,
    0,
    { prompt: "waiting", prompt_detail: "its agent works" },
  ]);
});

it("a task waits over a restart of the daemon", async () => {
  const { jobId } = arm();
  await tasks.close();
  open();
  show({ state: "idle" });
  await pass(1_000);
  expect([store.getJob(jobId)?.kind, bound]).toEqual(["send", 1]);
});

it("another pane that has its id, and another kind of agent, get nothing", async () => {
  const { jobId } = arm();
  show({ state: "idle", agent: "codex" });
  await pass(5_000);
  expect(store.getJob(jobId)?.kind).toBe("first");
  life = "101 1700000009 200";
  show({ state: "idle" });
  await pass(1_000);
  expect([store.getJob(jobId), bound, told]).toMatchObject([
    { state: "stopped", text: null },
    0,
    ["its pane is gone"],
  ]);
  expect(tasks.outcomeOf(jobId)).toEqual({ prompt: "dropped", prompt_detail: "its pane is gone" });
});

it("it is given up when no agent comes, when nobody makes it ready, and not while its machine is out of reach", async () => {
  const { jobId: none } = arm();
  await pass(61_000);
  expect(tasks.outcomeOf(none).prompt_detail).toBe("no claude was seen in the pane");
  life = null;
  const { jobId: away } = arm();
  await pass(120_000);
  expect(store.getJob(away)?.state).toBe("armed");
  await pass(30 * 60_000);
  expect(store.getJob(away)).toMatchObject({ state: "expired", text: null });
});

it("a task with a secret is in no file, and a cancelled one is not typed", async () => {
  const { jobId, isStored } = arm(`use ${SECRET}`);
  expect([isStored, kept, store.getJob(jobId)]).toMatchObject([
    false,
    [`use ${SECRET}`],
    { text: null, isVolatile: true },
  ]);
  for (const part of ["state.db", "state.db-wal"])
    expect(readFileSync(join(root, part), "latin1")).not.toContain(SECRET);
  store.endJob(jobId, "cancelled");
  show({ state: "idle" });
  await pass(1_000);
  expect([bound, tasks.outcomeOf(jobId).prompt]).toEqual([0, "dropped"]);
  expect(() => arm(" ")).toThrow("the task is empty");
});

// The task of an agent that was just started, as it meets what happens before the agent is ready: a daemon that ends, a tmux server
// that ends, another agent in a pane of the same id. Real tmux, real command line; it arrives once or not at all.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import * as z from "zod";
import { connectSocket } from "../../core/rpc/socketClient.ts";
import { startedSchema, type Started } from "../../core/model/workspace.ts";
import { until } from "../setup/realClock.ts";
import { openStartHarness, type StartHarness } from "./startHarness.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });
const WAIT_MS = 20_000;
/** A turn that goes on until Escape is pressed. */
const WORKING = fileURLToPath(new URL("../fixtures/recordings/claude/running.txt", import.meta.url));
/** Asks whether the folder is trusted. */
const TRUST = fileURLToPath(new URL("../fixtures/recordings/claude/trust_dialog.txt", import.meta.url));

/** They wait for most of their time, so they do it side by side, each with a daemon and a tmux of its own. */
const run = (options: object, work: (scene: Scene) => Promise<void>) => async (): Promise<void> => {
  const harness = await openStartHarness(options);
  try {
    appendFileSync(
      join(harness.daemon.home, ".bash_profile"),
      "while [ -e $HOME/slow ]; do sleep 0.2; done\n",
    );
    await work(new Scene(harness));
  } finally {
    await harness.close();
  }
};

const jobsSchema = z.object({ items: z.array(z.object({ state: z.string(), text: z.string().nullable() })) });

class Scene {
  readonly harness: StartHarness;
  readonly slow: string;

  constructor(harness: StartHarness) {
    this.harness = harness;
    this.slow = join(harness.daemon.home, "slow");
  }

  async start(name: string, text: string): Promise<Started> {
    const folder = join(this.harness.root, name);
    mkdirSync(folder, { recursive: true });
    const { paths } = this.harness.daemon;
    const client = await connectSocket({
      paths,
      version: "test",
      checkVersion: false,
      helloTimeoutMs: 10_000,
    });
    try {
      const input = { agent: "claude", folder, text, waitMs: 1_000, surface: "test" };
      return startedSchema.parse(await client.forward("workspaces.start", "mutation", input));
    } finally {
      client.close();
    }
  }

  async jobs() {
    const { stdout } = await this.harness.cli("/", "jobs", "list", "--json");
    return jobsSchema.parse(JSON.parse(stdout)).items;
  }

  /** The screens of so many agents are seen: before that, they take no keys. */
  untilWork(count: number): Promise<void> {
    return until(
      () => this.harness.agents().filter(({ state }) => state === "running").length === count,
      `${count} agents work`,
      WAIT_MS,
    );
  }

  escape(paneId: string | null): Promise<string> {
    return this.harness.tmux.run("send-keys", "-t", String(paneId), "Escape");
  }
}

it.concurrent(
  "it goes in once after the daemon ended, whether the agent was seen before or not",

  run({ working: WORKING }, async (scene) => {
    const { harness } = scene;
    const seen = await scene.start("seen", "for the first");
    expect([seen.prompt, seen.runtime_id === null]).toEqual(["waiting", false]);
    writeFileSync(scene.slow, "");
    const unseen = await scene.start("unseen", "for the second");
    expect([unseen.prompt, unseen.runtime_id]).toEqual(["waiting", null]);
    await harness.restart();
    rmSync(scene.slow);
    await scene.untilWork(2);
    expect((await scene.jobs()).map(({ state, text }) => [state, text])).toEqual([
      ["armed", "for the second"],
      ["armed", "for the first"],
    ]);
    for (const { pane_id } of [seen, unseen]) await scene.escape(pane_id);
    await until(
      async () => (await scene.jobs()).every(({ state }) => state === "done"),
      "both are done",
      WAIT_MS,
    );
    await harness.restart();
    await wait(2_000);
    for (const [started, text] of [
      [seen, "for the first"],
      [unseen, "for the second"],
    ] as const)
      expect(harness.received(started.folder)).toEqual(["escape", text]);
  }),
);

it.concurrent(
  "an agent that asks first is said at once, not after the time to wait, and gets its task once it was answered",

  run({ working: TRUST }, async (scene) => {
    const { harness } = scene;
    const folder = join(harness.root, "asks");
    mkdirSync(folder);
    // It waits for 20 s for one that asks nothing.
    const began = performance.now();
    const { code, stdout } = await harness.cli(folder, "start", "claude", "--text", "after the answer");
    expect(performance.now() - began).toBeLessThan(15_000);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^It asks first: .*trust.*\nAnswer it with: agtmux answer /im),
    ]);
    expect(harness.received(folder)).toEqual([]);
    const [row] = harness.agents();
    await scene.escape(row?.identity.pane_id ?? null);
    await until(() => harness.received(folder).length === 2, "the task went in", WAIT_MS);
    expect(harness.received(folder)).toEqual(["escape", "after the answer"]);
  }),
);

it.concurrent(
  "it never goes to another agent in a pane of the same id",

  run({ working: WORKING }, async (scene) => {
    const { harness } = scene;
    writeFileSync(scene.slow, "");
    const started = await scene.start("gone", "for the one that went");
    await harness.tmux.run("kill-server");
    rmSync(scene.slow);
    const other = join(harness.root, "other");
    mkdirSync(other);
    const begin = () =>
      harness.tmux
        .run("new-session", "-d", "-s", "base", "-x", "200", "-y", "50", "exec cat")
        // The old server may take a moment to go, and refuses until then; it is tried again.
        .catch(() => null);
    await until(async () => (await begin()) !== null, "another server runs", WAIT_MS);
    await harness.settle();
    for (let id = ""; id !== started.pane_id;)
      id = await harness.tmux.run(
        "new-window",
        "-d",
        "-P",
        "-F",
        "#{pane_id}",
        "-t",
        "base:",
        "-c",
        other,
        "exec bash -l -i -c claude",
      );
    await scene.untilWork(1);
    await scene.escape(started.pane_id);
    await until(async () => (await scene.jobs())[0]?.state === "stopped", "the task is given up", WAIT_MS);
    await wait(2_000);
    expect(harness.received(other)).toEqual(["escape"]);
  }),
);

it.concurrent(
  "it goes in where the agent draws its box long before it takes keys",

  run({ lateMs: 8_000 }, async (scene) => {
    const { harness } = scene;
    const started = await scene.start("late", "first line\n\nsecond line");
    await until(async () => (await scene.jobs())[0]?.state === "done", "it is on record", WAIT_MS);
    expect(harness.received(started.folder)).toEqual(["first line\n\nsecond line"]);
  }),
);

// Sessions of agents come back after their tmux server was killed, each where it was, and nothing comes back twice.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { until } from "../setup/realClock.ts";
import { openStartHarness, type StartHarness } from "./startHarness.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const WAIT_MS = 60_000;
const COUNT = 20;
let harness: StartHarness;
beforeEach(async () => {
  harness = await openStartHarness();
});
afterEach(() => harness.close());

const folder = (at: number): string => {
  const path = join(harness.root, `project-${at}`);
  mkdirSync(path, { recursive: true });
  return path;
};
/** Where each session runs now, by its id. */
const places = (): Record<string, string> =>
  Object.fromEntries(
    harness
      .agents()
      .flatMap(({ agent_session_id: id, identity, activity }) =>
        id === null ? [] : [[id, `${identity.session_name} ${activity?.folder ?? ""}`]],
      ),
  );
const sorted = (of: Record<string, string>): string =>
  Object.entries(of)
    .map(([id, place]) => `${id} ${place}`)
    .toSorted()
    .join("\n");

describe("agtmux restore", () => {
  it(`brings ${COUNT} of ${COUNT} sessions back after kill-server, also after a restart of the daemon`, async () => {
    for (let at = 0; at < COUNT; at += 1) {
      const done = await harness.cli(folder(at), "start", "claude", "--session", `s${at % 4}`);
      expect([done.code, done.stderr]).toEqual([0, ""]);
    }
    await until(() => Object.keys(places()).length === COUNT, "all sessions are known", WAIT_MS);
    await until(
      () => Object.values(places()).every((place) => place.includes("/project-")),
      "folders too",
      WAIT_MS,
    );
    const before = places();
    expect((await harness.cli("/", "restore", "--dry-run")).stdout).toBe("No sessions to restore.\n");
    // The list of what runs is kept two seconds after the last change.
    await new Promise((next) => setTimeout(next, 4_000));
    await harness.tmux.run("kill-server");
    await until(() => harness.agents().length === 0, "they are gone", WAIT_MS);
    const listed = JSON.parse((await harness.cli("/", "restore", "--dry-run", "--json")).stdout) as {
      items: { agent_session_id: string }[];
    };
    expect(listed.items.map((one) => one.agent_session_id).toSorted()).toEqual(
      Object.keys(before).toSorted(),
    );
    expect((await harness.cli("/", "restore")).code).toBe(6);
    const back = await harness.cli("/", "restore", "--yes");
    expect([back.code, back.stderr]).toEqual([0, ""]);
    expect(back.stdout).toContain(`${COUNT} of ${COUNT} came back.`);
    await until(() => Object.keys(places()).length === COUNT, "they are back", WAIT_MS).catch(
      (cause: unknown) => {
        const rows = harness
          .agents()
          .map(({ identity, state, agent_session_id: id }) => [identity.pane_id, state, id]);
        throw new Error(`back are ${JSON.stringify(rows)} of ${JSON.stringify(before)}`, { cause });
      },
    );
    await until(() => sorted(places()) === sorted(before), "each where it was", WAIT_MS);
    expect((await harness.cli("/", "restore", "--dry-run")).stdout).toBe("No sessions to restore.\n");
  });

  it("offers what a server took along though another one has begun, says what does not come back, and forgets", async () => {
    await harness.cli(folder(1), "start", "claude");
    await harness.cli(folder(2), "start", "claude");
    await until(
      () => Object.values(places()).filter((place) => place.includes("/project-")).length === 2,
      "both are known",
      WAIT_MS,
    );
    await new Promise((next) => setTimeout(next, 4_000));
    await harness.tmux.run("kill-server");
    await until(() => harness.agents().length === 0, "they are gone", WAIT_MS);
    await harness.restart();
    await harness.tmux.newSession("other");
    await harness.settle();
    rmSync(folder(2), { recursive: true, force: true });
    await until(
      async () => (await harness.cli("/", "restore", "--dry-run")).stdout.includes("project-2"),
      "they are offered",
      WAIT_MS,
    );
    const back = await harness.cli("/", "restore", "--yes");
    expect(back.code).toBe(1);
    expect(back.stdout).toContain("1 of 2 came back.");
    expect(back.stdout).toContain("there is no folder");
    expect((await harness.cli("/", "restore", "--forget")).code).toBe(0);
    expect((await harness.cli("/", "restore", "--dry-run")).stdout).toBe("No sessions to restore.\n");
  });
});

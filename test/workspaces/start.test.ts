// Starting agents in short: one that leaves a shell when it ends, and one that goes on with a session. The rest is in
// start.slow.test.ts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../setup/realClock.ts";
import { openStartHarness, type StartHarness } from "./startHarness.ts";

let harness: StartHarness;
const folder = (name: string): string => {
  const path = join(harness.root, name);
  mkdirSync(path, { recursive: true });
  return path;
};
const json = (text: string) => JSON.parse(text) as Record<string, unknown>;

beforeAll(async () => {
  harness = await openStartHarness();
}, 60_000);
afterAll(() => harness.close(), 60_000);

describe("agtmux start", { timeout: 60_000 }, () => {
  it("leaves a shell when the agent ends", async () => {
    const here = folder("ends");
    const started = json((await harness.cli(here, "start", "claude", "--json")).stdout);
    const paneId = String(started["pane_id"]);
    await harness.cli(here, "kill", String(started["pane_ref"]), "--signal", "KILL", "--yes");
    await until(
      async () =>
        (await harness.tmux.run("display-message", "-p", "-t", paneId, "#{pane_current_command}")) === "bash",
      "the shell is back",
      20_000,
    );
    expect(await harness.tmux.run("display-message", "-p", "-t", paneId, "#{pane_current_path}")).toBe(here);
  });

  it("goes on with a session, and refuses one that an agent still runs", async () => {
    const here = folder("again");
    const id = "5f2d5b0a-4b7e-4f0a-9c61-0b1f6f0c5b11";
    const first = await harness.cli(here, "start", "claude", "--resume", id);
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(harness.starts().at(-1)).toEqual({ folder: here, args: `--resume ${id}` });
    await until(
      () => harness.agents().some((row) => row.agent_session_id === id),
      "its session is known",
      20_000,
    );
    const count = harness.starts().length;
    const second = await harness.cli(here, "start", "claude", "--resume", id);
    expect(second.code).toBe(27);
    expect(second.stderr).toContain(`session ${id} runs already`);
    expect(harness.starts()).toHaveLength(count);
  });
});

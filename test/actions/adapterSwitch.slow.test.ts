// Enabling and disabling adapters on a real daemon and real tmux: what the panes show, what is written, what survives.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createPlayer, type Player } from "../player/player.ts";
import { openHarness, type Harness } from "./actionHarness.ts";

let harness: Harness;
let player: Player;
beforeEach(async () => {
  harness = await openHarness();
  player = await createPlayer({
    tmux: { socketArgs: harness.tmux.socketArgs },
    home: harness.daemon.home,
    recordingsDir: fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url)),
    agent: "claude",
  });
});
afterEach(async () => {
  await player.close();
  await harness.close();
});

const configPath = (): string => harness.daemon.paths.config;
const turn = (enabled: boolean) => harness.service.adapterSwitch({ agent: "claude", enabled });
const isEnabled = (): boolean | undefined =>
  harness.service.adapters().items.find(({ agent_type }) => agent_type === "claude")?.enabled;

it("a disabled agent's pane is one without an agent, in mid-turn too, and that is no crash", async () => {
  writeFileSync(configPath(), '{\n\t"notifications": { "error":true }\n}\n');
  await player.frame("running");
  const before = await harness.daemon.untilState(player.paneId, "running");
  expect(await turn(false)).toMatchObject({ enabled: false, changed: true });
  await harness.daemon.untilGone(player.paneId);
  expect(readFileSync(configPath(), "utf8")).toBe(
    '{\n\t"notifications": { "error":true },\n\t"adapters": { "disabled": ["claude"] }\n}\n',
  );
  expect(isEnabled()).toBe(false);
  expect(harness.daemon.rows().find((row) => row.identity.pane_id === player.paneId)).toMatchObject({
    agent: null,
    state: null,
  });
  expect(harness.daemon.timeline(player.paneId)).not.toContain("error");
  expect(await turn(false)).toMatchObject({ changed: false });
  expect(player.isAlive()).toBe(true);

  await harness.daemon.restart();
  const row = await harness.daemon.until(player.paneId, () => true);
  expect(row.agent).toBeNull();
  await turn(true);
  const after = await harness.daemon.untilState(player.paneId, "running");
  expect(after.identity.runtime_id).not.toBe(before.identity.runtime_id);
  expect(JSON.parse(readFileSync(configPath(), "utf8"))).toMatchObject({ adapters: { disabled: [] } });
});

it("an edit of the file by hand does the same", async () => {
  await player.frame("running");
  await harness.daemon.untilState(player.paneId, "running");
  writeFileSync(configPath(), '{ "adapters": { "disabled": ["claude", "nope"] } }');
  await harness.daemon.untilGone(player.paneId);
  expect(harness.service.adapters().disabled_unknown).toEqual(["nope"]);
  writeFileSync(configPath(), "{}");
  await harness.daemon.untilState(player.paneId, "running");
});

it("refuses an agent that is not known, and touches no file that is not valid as it is", async () => {
  await expect(harness.service.adapterSwitch({ agent: "nope", enabled: false })).rejects.toMatchObject({
    code: "E_USAGE",
    remedy: expect.stringMatching(/claude, .*codex/),
  });
  expect(existsSync(configPath())).toBe(false);
  const bad = '{ "timing": 5 }';
  writeFileSync(configPath(), bad);
  await expect(turn(false)).rejects.toMatchObject({ code: "E_CONFIG_INVALID" });
  expect(readFileSync(join(harness.daemon.paths.home, "config.json"), "utf8")).toBe(bad);
  expect(isEnabled()).toBe(true);
});

// `agtmux config` with a real daemon: it reads and writes what the settings of every other surface do, and never harms the file.
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SETTING_KEYS } from "../../core/model/settingKeys.ts";
import { SETTING_SCHEMAS } from "../../core/model/config.ts";
import { openCommandLine, serveDaemon, type CommandLine } from "../harness/commandLine.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";

let running: TestDaemon;
let cli: CommandLine;
let stop: () => Promise<void>;
const config = () => readFileSync(running.paths.config, "utf8");

beforeEach(async () => {
  running = await startTestDaemon({ sockets: [] });
  stop = await serveDaemon(running);
  cli = openCommandLine(running.paths.home);
});
afterEach(async () => {
  await cli.close();
  await stop();
  await running.close();
});

const MINE = '{\n  "tmux_servers": ["work"]\n}\n';

it("names every setting, and sets one beside what the person wrote", async () => {
  expect([...SETTING_KEYS].toSorted()).toEqual(Object.keys(SETTING_SCHEMAS).toSorted());
  writeFileSync(running.paths.config, MINE);
  const set = await cli.run(["config", "set", "retention.max_age_days", "7"]);
  expect([set.code, set.stdout, set.stderr]).toEqual([0, "retention.max_age_days is now 7.\n", ""]);
  expect(JSON.parse(config())).toEqual({ tmux_servers: ["work"], retention: { max_age_days: 7 } });
  const list = await cli.run(["config", "list"]);
  expect(list.stdout).toMatch(/^retention\.max_age_days +7 +14$/m);
  expect(list.stdout.trimEnd().split("\n")).toHaveLength(SETTING_KEYS.length + 1);
  await cli.run(["config", "set", "notifications.sounds.error", "Basso"]);
  await cli.run(["config", "set", "notifications.muted_targets", '["vm1"]']);
  const got = ["notifications.sounds.error", "notifications.muted_targets", "notifications.quiet_hours"];
  const values = await Promise.all(got.map((key) => cli.run(["config", "get", key])));
  expect(values.map(({ stdout }) => stdout)).toEqual(["Basso\n", '["vm1"]\n', "null\n"]);
  expect((await cli.run(["config", "set", "retention.max_age_days", "null"])).stdout).toBe(
    "retention.max_age_days is now 14.\n",
  );
}, 30_000);

it("refuses what is no setting or no value of it, says what may be, and leaves the file alone", async () => {
  writeFileSync(running.paths.config, MINE);
  const unknown = await cli.run(["config", "set", "timing.contest_ms", "1"]);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Settings are notifications.")]);
  const wrong = await cli.run(["config", "set", "notifications.error", "maybe"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/notifications\.error .*boolean/)]);
  expect((await cli.run(["config", "get", "__proto__"])).code).toBe(2);
  expect(config()).toBe(MINE);
  // A file in the middle of an edit.
  writeFileSync(running.paths.config, "{ nothing yet");
  const broken = await cli.run(["config", "set", "notifications.error", "false"]);
  expect([broken.code, broken.stderr]).toEqual([11, expect.stringContaining("E_CONFIG_INVALID")]);
  const shown = await cli.run(["config", "list"]);
  expect([shown.code, shown.stderr]).toEqual([
    0,
    expect.stringContaining("the last good settings are in force"),
  ]);
  expect(config()).toBe("{ nothing yet");
}, 30_000);

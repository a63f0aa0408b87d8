// What a settings window asks of the daemon, through the router of a real one: the keys that it may set, what is refused,
// the hosts to choose a target from, and how the agents' integrations stand.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AppRouter } from "../../core/api/router.ts";
import { SETTING_SCHEMAS } from "../../core/model/config.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

let tmux: PrivateTmux;
let running: TestDaemon;
let api: ReturnType<AppRouter["createCaller"]>;
const config = () => readFileSync(running.paths.config, "utf8");

beforeEach(async () => {
  tmux = createPrivateTmux();
  running = await startTestDaemon({ sockets: [tmux.socketPath] });
  api = running.daemon.router.createCaller({});
});
afterEach(async () => {
  await running.close();
  await tmux.close();
});

/** What a refusal says, as a surface gets it. */
const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => new Error("it was not refused"),
    (reason: unknown) => reason as Error & { cause?: { code?: string; remedy?: string } },
  );
  return { message: error.message, ...(error.cause as { code?: string; remedy?: string }) };
};

describe("settings through the router", () => {
  it("gives every key with what is in force, and puts a value into the file beside the person's own", async () => {
    writeFileSync(
      running.paths.config,
      '{\n  "tmux_servers": ["work"],\n  "retention": { "max_age_days": 30 }\n}\n',
    );
    await expect.poll(async () => (await api.configGet()).values["retention.max_age_days"]).toBe(30);
    const before = await api.configGet();
    expect(Object.keys(before.values).toSorted()).toEqual(Object.keys(SETTING_SCHEMAS).toSorted());
    expect(before).toMatchObject({ problem: null, path: running.paths.config });
    expect(before.defaults["retention.max_age_days"]).toBe(14);

    const after = await api.configSet({ key: "retention.max_age_days", value: 7 });
    expect(after.values["retention.max_age_days"]).toBe(7);
    await api.configSet({ key: "notifications.quiet_hours", value: { from: "22:00", to: "07:30" } });
    await api.configSet({ key: "notifications.sounds.error", value: "Basso" });
    await api.configSet({ key: "idle_shutdown_ms", value: 600_000 });
    expect(JSON.parse(config())).toEqual({
      tmux_servers: ["work"],
      retention: { max_age_days: 7 },
      notifications: { quiet_hours: { from: "22:00", to: "07:30" }, sounds: { error: "Basso" } },
      idle_shutdown_ms: 600_000,
    });
    expect(
      (await api.configSet({ key: "notifications.quiet_hours", value: null })).values[
        "notifications.quiet_hours"
      ],
    ).toBeNull();
    const reset = await api.configSet({ key: "retention.max_age_days", value: null });
    expect(reset.values["retention.max_age_days"]).toBe(14);
  });

  it("refuses a key that is not in the list and a value that the key cannot have, and writes nothing", async () => {
    for (const key of ["targets", "tmux_path", "timing", "__proto__", "timing.running_ttl_ms"])
      expect(await refusal(api.configSet({ key, value: [] }))).toMatchObject({
        code: "E_USAGE",
        message: `'${key}' cannot be set from here`,
      });
    expect(await refusal(api.configSet({ key: "retention.max_age_days", value: "many" }))).toMatchObject({
      code: "E_USAGE",
      message: expect.stringMatching(/^retention\.max_age_days can.t have that value: /),
      remedy: "Nothing was changed. Choose another value.",
    });
    expect(
      await refusal(
        api.configSet({ key: "notifications.quiet_hours", value: { from: "25:00", to: "07:00" } }),
      ),
    ).toMatchObject({ message: expect.stringContaining("time of day") });
    expect(() => config()).toThrow("ENOENT");
  });

  it("leaves a file alone that is not valid as it is, and says what is wrong with it", async () => {
    writeFileSync(running.paths.config, '{ "retention": { "max_age_days": -1 } }');
    expect(await refusal(api.configSet({ key: "notifications.error", value: true }))).toMatchObject({
      code: "E_CONFIG_INVALID",
      message: expect.stringContaining("retention.max_age_days"),
    });
    expect(config()).toBe('{ "retention": { "max_age_days": -1 } }');
    await expect.poll(async () => (await api.configGet()).problem).toContain("retention.max_age_days");
  });

  it("names the hosts of the person's SSH configuration", async () => {
    mkdirSync(join(running.home, ".ssh"));
    writeFileSync(join(running.home, ".ssh", "config"), "Host build gpu *.lan\n");
    expect(await api.sshAliases()).toEqual({ aliases: ["build", "gpu"], problems: [] });
  });
});

describe("the list of integrations", () => {
  const stateOf = async (agent: string) => (await api.integrationList({})).find((one) => one.agent === agent);

  it("follows install, a lost entry, settings that do not parse, and uninstall", async () => {
    expect(await stateOf("claude")).toMatchObject({ state: "absent", missing: [], lastRealEventAt: null });
    await api.integrationChange({ agent: "claude", action: "install", dryRun: false });
    expect(await stateOf("claude")).toMatchObject({ name: "Claude Code", state: "installed", missing: [] });

    const path = join(running.home, ".claude", "settings.json");
    const settings = JSON.parse(readFileSync(path, "utf8"));
    delete settings.hooks.Stop;
    writeFileSync(path, JSON.stringify(settings));
    expect(await stateOf("claude")).toMatchObject({ state: "partial", missing: ["Stop"] });

    writeFileSync(path, "{ not json");
    expect(await stateOf("claude")).toMatchObject({
      state: "unclear",
      problems: [expect.stringContaining("settings.json")],
    });
    rmSync(path);
    expect(await stateOf("claude")).toMatchObject({ state: "absent" });
    expect(await refusal(api.integrationList({ target: "nowhere" }))).toMatchObject({
      code: "E_TARGET_UNKNOWN",
    });
  });
});

// Hooks on a target behind a real sshd, from one command here to exact states: events arrive once and in order, also those
// that were written while there was no connection, and whatever else lies in the spool.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { until } from "../setup/realClock.ts";
import { LIMIT_MS, openTargetHarness, type TargetHarness } from "./targetHarness.ts";

describe.each(["openssh", "ssh2"] as const)("hooks on a target over %s", (transport) => {
  let harness: TargetHarness;
  beforeEach(async () => {
    harness = await openTargetHarness(transport);
  });
  afterEach(() => harness.close());

  const integrate = (action: "install" | "uninstall", agent = "claude") =>
    harness.service.integrationChange({ agent, target: "vm1", action, dryRun: false });
  const spool = (...parts: string[]): string => join(harness.server.remoteHome, ".agtmux", "spool", ...parts);
  const waiting = (): string[] => readdirSync(spool("new"));
  /** Every event of the agent's own that was applied, in the order in which it was. */
  const applied = (): string[] => {
    const db = new Database(harness.daemon.paths.stateDb, { readonly: true });
    try {
      const rows = db
        .prepare<[], { event_type: string; dedupe_key: string }>(
          "SELECT event_type, dedupe_key FROM events WHERE source = 'hook' ORDER BY event_time, event_row",
        )
        .all();
      return rows.filter(({ dedupe_key }) => !dedupe_key.includes("#")).map(({ event_type }) => event_type);
    } finally {
      db.close();
    }
  };
  const untilApplied = (count: number) =>
    until(() => applied().length >= count, `${count} events are applied, not ${applied().length}`, LIMIT_MS);

  it("of all agents go at once, with the script and the spool, as they were shown before", async () => {
    const settings = join(harness.server.remoteHome, ".claude", "settings.json");
    mkdirSync(join(harness.server.remoteHome, ".claude"), { recursive: true });
    writeFileSync(settings, '{ "theme": "dark" }');
    for (const agent of ["claude", "codex", "pi"]) await integrate("install", agent);
    const removal = (dryRun: boolean) => harness.service.integrationRemoveAll({ target: "vm1", dryRun });
    const shown = await removal(true);
    expect([shown.applied, shown.refused, shown.keptBackups]).toEqual([false, [], []]);
    const paths = shown.changes.map(({ path }) => path);
    for (const end of ["settings.json", "agtmux-backup", "hooks.json", "agtmux.ts", "agtmux-event", "spool"])
      expect(paths).toContainEqual(expect.stringMatching(`${end}$`));
    expect(existsSync(spool("new"))).toBe(true);
    const gone = await removal(false);
    expect([gone.applied, gone.changes]).toEqual([true, shown.changes]);
    expect(readFileSync(settings, "utf8")).toBe('{ "theme": "dark" }');
    for (const path of paths.filter((one) => one !== settings)) expect(existsSync(path), path).toBe(false);
    expect(existsSync(join(harness.server.remoteHome, ".agtmux"))).toBe(false);
    expect((await removal(true)).changes).toEqual([]);
  });

  it("leave nobody to notify here or there: what is off on one machine is not muted for all", async () => {
    const settings = [harness.daemon.home, harness.server.remoteHome].map((home) =>
      join(home, ".claude", "settings.json"),
    );
    for (const path of settings) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "{}");
    }
    const [here = "", there = ""] = settings;
    const choose = (who: "agtmux" | "agent" | "both", target: string) =>
      harness.service.integrationNotifier({ agent: "claude", who, target, dryRun: false });
    const muted = async () =>
      (await harness.service.configGet()).values["notifications.muted_agents"].includes("claude");
    await choose("agtmux", "vm1");
    expect(readFileSync(there, "utf8")).toContain("notifications_disabled");
    await expect(choose("agent", "host")).rejects.toMatchObject({
      code: "E_INTEGRATION_REFUSED",
      message: expect.stringContaining("on vm1"),
      remedy: expect.stringContaining("--notify both --target vm1"),
    });
    expect([await muted(), readFileSync(here, "utf8")]).toEqual([false, "{}"]);
    await choose("both", "vm1");
    await choose("agent", "host");
    expect([await muted(), readFileSync(there, "utf8")]).toEqual([true, "{}"]);
  });

  it("arrive once, each with its exact state, and are proven by a test event", async () => {
    const before = await harness.service.integrationVerify({ agent: "claude", target: "vm1" });
    expect([before.entriesPresent, before.deliveryWorks]).toEqual([false, false]);
    expect(await integrate("install")).toMatchObject({ applied: true });
    const proof = await harness.service.integrationVerify({ agent: "claude", target: "vm1" });
    expect(proof).toMatchObject({
      entriesPresent: true,
      problems: [],
      deliveryWorks: true,
      lastRealEventAt: null,
    });

    const player = await harness.play("claude");
    await player.event("SessionStart");
    await player.event("UserPromptSubmit");
    await player.frame("running");
    await harness.daemon.untilState(player.paneId, "running", LIMIT_MS);
    await player.frame("waiting_approval");
    await player.event("PermissionRequest");
    // The screen may be seen first; which tool it is only the event tells.
    const isExact = ({ state, request }: PaneView) =>
      state === "waiting_approval" && request?.tool_name === "Bash";
    await harness.daemon.until(player.paneId, isExact, LIMIT_MS);
    await player.frame("completed");
    await player.event("Stop");
    await harness.daemon.untilState(player.paneId, "completed", LIMIT_MS);
    await untilApplied(4);
    expect(applied()).toEqual(["SessionStart", "UserPromptSubmit", "PermissionRequest", "Stop"]);
    await until(() => waiting().length === 0, "the spool is empty", LIMIT_MS);
    const { findings } = await harness.service.doctor({ target: "vm1" });
    const statusOf = (check: string, agent?: string) =>
      findings.find((one) => one.check === check && (agent === undefined || one.agent === agent))?.status;
    expect({
      health: statusOf("target.health"),
      tmux: statusOf("target.tmux"),
      processes: statusOf("target.processes"),
      clock: statusOf("target.clock"),
      delivery: statusOf("target.delivery"),
      hooks: statusOf("agent.integration", "claude"),
      events: statusOf("agent.events", "claude"),
      absent: statusOf("agent.integration", "gemini"),
    }).toEqual({
      health: "ok",
      tmux: "ok",
      processes: "ok",
      clock: "ok",
      delivery: "ok",
      hooks: "ok",
      events: "ok",
      absent: "skipped",
    });
    const after = await harness.service.integrationVerify({ agent: "claude", target: "vm1" });
    expect(after.lastRealEventAt).not.toBeNull();
    expect((await harness.service.integrationVerify({ agent: "claude" })).lastRealEventAt).toBeNull();
  });

  it("that were written while there was no connection arrive after it, once and in order", async () => {
    await integrate("install");
    const player = await harness.play("claude");
    await player.event("SessionStart");
    await untilApplied(1);
    await until(() => waiting().length === 0, "the spool is empty", LIMIT_MS);
    const said = ["SessionStart"];
    const say = async (...names: string[]): Promise<void> => {
      for (const name of names) {
        said.push(name);
        await player.event(name);
      }
    };
    await harness.server.stop();
    await harness.untilHealth("down");
    for (let turn = 0; turn < 3; turn += 1)
      await say("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop");
    expect(waiting()).toHaveLength(12);
    await harness.server.start();
    // While the backlog is taken more is written, and the connection breaks again.
    const writing = say("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit");
    await harness.untilHealth("ok");
    await harness.server.stop();
    await writing;
    await harness.server.start();
    await harness.untilHealth("ok");
    await player.frame("running");
    await untilApplied(said.length);
    await harness.daemon.untilState(player.paneId, "running", LIMIT_MS);
    expect(applied()).toEqual(said);
    await until(() => waiting().length === 0, "the spool is empty", LIMIT_MS);
  });

  it("are told from what else lies in the spool: old ones, future ones and no events at all", async () => {
    await integrate("install");
    const player = await harness.play("claude");
    await player.frame("completed");
    await harness.daemon.untilState(player.paneId, "idle", LIMIT_MS);
    const socket = `${harness.tmux.socketPath},${await harness.tmux.serverPid()},0`;
    const drop = (name: string, event: string, seconds: number): void => {
      const payload = JSON.stringify({ hook_event_name: event, session_id: player.sessionId, prompt: "x" });
      const header = `agtmux-event 1\nagent=claude\nevent=${event}\ntmux=${socket}\npane=${player.paneId}\nppid=1\n\n`;
      writeFileSync(spool("tmp", name), header + payload);
      const at = Date.now() / 1_000 + seconds;
      utimesSync(spool("tmp", name), at, at);
      writeFileSync(spool("new", `.${name}`), "");
      symlinkSync("/etc/passwd", spool("new", `link-${name}`));
      // As the hook does: it appears complete or not at all.
      renameSync(spool("tmp", name), spool("new", name));
    };
    drop("0000001-0", "Stop", -86_400);
    drop("0000002-0", "UserPromptSubmit", 86_400);
    writeFileSync(spool("new", "0000003-0"), "no event");
    await until(() => !waiting().some((name) => !name.startsWith(".")), "the spool is empty", LIMIT_MS);
    // What was written before the agent began is not its own.
    expect(applied()).toEqual(["UserPromptSubmit"]);
    expect(readdirSync(spool("bad")).toSorted()).toEqual(["0000003-0", "link-0000001-0", "link-0000002-0"]);
  });

  it("go without a trace with the last agent's", async () => {
    await integrate("install");
    await integrate("install", "codex");
    await integrate("uninstall");
    expect(existsSync(spool("new"))).toBe(true);
    const { changes } = await integrate("uninstall", "codex");
    expect(changes.map(({ path }) => path)).toContain(spool());
    const left = readdirSync(harness.server.remoteHome, { recursive: true, encoding: "utf8" });
    expect(left.toSorted()).toEqual([".claude", ".codex"]);
  });

  it("are left to an agtmux of its own that lives there, and the target says so", async () => {
    await integrate("install");
    const foreign = createServer();
    const socket = join(harness.server.remoteHome, ".agtmux", "agtmuxd.sock");
    await new Promise<void>((done) => foreign.listen(socket, done));
    const reconnect = async (): Promise<void> => {
      await harness.service.targetChange({ name: "vm1", enabled: false });
      await harness.service.targetChange({ name: "vm1", enabled: true });
      await harness.service.targetConnect({ name: "vm1" });
    };
    try {
      await reconnect();
      await harness.untilHealth("degraded");
      expect(harness.target()).toMatchObject({
        health_reason: expect.stringContaining("another agtmux") as string,
        remedy: expect.stringContaining("agtmux daemon stop") as string,
      });
      await expect(integrate("install", "codex")).rejects.toMatchObject({ code: "E_INTEGRATION_REFUSED" });
      const player = await harness.play("claude");
      await player.event("UserPromptSubmit");
      await player.frame("waiting_approval");
      await harness.daemon.untilState(player.paneId, "waiting_approval", LIMIT_MS);
      expect([applied(), waiting().length]).toEqual([[], 1]);
    } finally {
      await new Promise((done) => foreign.close(done));
    }
    await reconnect();
    await harness.untilHealth("ok");
    await untilApplied(1);
  });
});

import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { createPlayer, type Player } from "./player.ts";
import { loadRecording } from "../../adapters/testkit/recordings.ts";

const run = promisify(execFile);
const recordingsDir = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "agtmux-player-test-"));
const socketArgs = ["-S", join(root, "sock"), "-f", "/dev/null"];
const env = { ...process.env, LC_ALL: "C.UTF-8" };
const tmux = async (...args: string[]) => (await run("tmux", [...socketArgs, ...args], { env })).stdout;

const NO_FILES: TargetFiles = {
  readText: () => Promise.resolve(null),
  list: () => Promise.resolve([]),
  readTail: () => Promise.resolve(null),
  readLink: () => Promise.resolve(null),
  stat: () => Promise.resolve(null),
  writeText: () => Promise.reject(new Error("plans only")),
  remove: () => Promise.reject(new Error("plans only")),
};

const players: Player[] = [];
const start = async (options: Partial<Parameters<typeof createPlayer>[0]> = {}): Promise<Player> => {
  const home = mkdtempSync(join(root, "home-"));
  const player = await createPlayer({ tmux: { socketArgs }, home, recordingsDir, ...options });
  players.push(player);
  return player;
};
const capture = async (player: Player): Promise<string> =>
  (await tmux("capture-pane", "-p", "-t", player.paneId))
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
const expected = (name: string): string =>
  loadRecording(recordingsDir, name)
    .text.split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();

const processesOfPane = async (player: Player): Promise<ProcessInfo[]> => {
  const shell = Number((await tmux("display-message", "-p", "-t", player.paneId, "#{pane_pid}")).trim());
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,comm=,args="]);
  const all = stdout.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    return match === null
      ? []
      : [
          {
            pid: Number(match[1]),
            ppid: Number(match[2]),
            comm: match[3] ?? "",
            args: match[4] ?? "",
            startedAt: 0,
          },
        ];
  });
  const inPane = [shell];
  for (const pid of inPane) inPane.push(...all.filter(({ ppid }) => ppid === pid).map((child) => child.pid));
  return inPane.flatMap((pid) => all.find((process) => process.pid === pid) ?? []);
};

/** A stand-in for the event script: one file per event, complete when it appears. */
const writeEventScript = (): { script: string; spool: string; events: () => Record<string, unknown>[] } => {
  const spool = mkdtempSync(join(root, "spool-"));
  const script = join(spool, "agtmux-event");
  mkdirSync(join(spool, "new"));
  writeFileSync(
    script,
    `#!/bin/sh\nprintf '%s\\n' "$1 $2 $TMUX_PANE" >"${spool}/$$"\ncat >>"${spool}/$$"\nmv "${spool}/$$" "${spool}/new/$(ls "${spool}/new" | wc -l | tr -d ' ')"\n`,
  );
  chmodSync(script, 0o755);
  const events = () =>
    readdirSync(join(spool, "new"))
      .toSorted((a, b) => Number(a) - Number(b))
      .map((name) => {
        const [head = "", ...body] = readFileSync(join(spool, "new", name), "utf8").split("\n");
        const [agent, event, paneId] = head.split(" ");
        return { agent, event, paneId, payload: JSON.parse(body.join("\n")) };
      });
  return { script, spool, events };
};

beforeAll(() => {
  expect(existsSync(recordingsDir)).toBe(true);
});
afterEach(async () => {
  await Promise.all(players.splice(0).map((player) => player.close()));
});
afterAll(async () => {
  await tmux("kill-server").catch(() => "no server was left");
  rmSync(root, { recursive: true, force: true });
});

describe("a played agent", () => {
  it("is taken for the agent by its process and by tmux", async () => {
    const player = await start();
    const found = createAdapterRegistry().identify(await processesOfPane(player));
    expect(found?.adapter.agentType).toBe("claude");
    expect(found?.match.process.pid).toBe(player.pid);
    expect(await tmux("display-message", "-p", "-t", player.paneId, "#{pane_current_command}")).toBe(
      "claude\n",
    );
  });

  it("shows every recorded frame exactly, with its title and screen", async () => {
    const player = await start();
    const names = readdirSync(recordingsDir)
      .filter((file) => file.endsWith(".ansi") && file !== "exited.ansi")
      .map((file) => file.slice(0, -".ansi".length));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      const { title, isAlternate } = loadRecording(recordingsDir, name);
      await player.frame(name);
      await vi.waitFor(async () => expect(await capture(player)).toBe(expected(name)), { timeout: 5_000 });
      expect(await tmux("display-message", "-p", "-t", player.paneId, "#{pane_title}|#{alternate_on}")).toBe(
        `${title}|${isAlternate ? 1 : 0}\n`,
      );
    }
  });

  it("runs the event script with the recorded payload and its own pane", async () => {
    const { script, events } = writeEventScript();
    const player = await start({ eventScript: script });
    await player.sequence([
      { recording: "waiting_approval", drop: ["Notification"], speed: 20 },
      { event: "PostToolUse", payload: { tool_use_id: "late" }, lateByMs: 60 },
      { event: "Stop", payload: { background_tasks: [] } },
    ]);
    expect(events().map(({ event }) => event)).toEqual([
      "UserPromptSubmit",
      "PreToolUse",
      "PermissionRequest",
      "Stop",
      "PostToolUse",
    ]);
    expect(events()[1]).toMatchObject({
      agent: "claude",
      paneId: player.paneId,
      payload: {
        session_id: player.sessionId,
        tool_name: "Bash",
        tool_input: { command: "touch approved.txt" },
      },
    });
    expect(events()[4]).toMatchObject({ payload: { tool_use_id: "late" } });
    await vi.waitFor(async () => expect(await capture(player)).toBe(expected("waiting_approval")));
  });

  it("runs what the settings of its home say", async () => {
    const { script, events } = writeEventScript();
    const home = mkdtempSync(join(root, "home-"));
    mkdirSync(join(home, ".claude"));
    writeFileSync(
      join(home, ".claude", "settings.json"),
      JSON.stringify({
        hooks: { Stop: [{ hooks: [{ type: "command", command: `'${script}' claude Stop` }] }] },
      }),
    );
    const player = await start({ home });
    await player.event("Stop");
    await player.event("UserPromptSubmit");
    expect(events().map(({ event }) => event)).toEqual(["Stop"]);
  });

  it("drops installed events into the spool through the shipped script", async () => {
    const home = mkdtempSync(join(root, "home-"));
    const agtmuxHome = join(home, ".agtmux");
    for (const folder of ["bin", "spool/tmp", "spool/new"])
      mkdirSync(join(agtmuxHome, folder), { recursive: true });
    const eventScript = join(agtmuxHome, "bin", "agtmux-event");
    copyFileSync(fileURLToPath(new URL("../../resources/hooks/agtmux-event", import.meta.url)), eventScript);
    chmodSync(eventScript, 0o755);
    const [change] =
      (await createAdapterRegistry()
        .byAgentType("claude")
        ?.integration?.planInstall({
          files: NO_FILES,
          homeDir: home,
          configDir: join(home, ".claude"),
          eventScript,
        })) ?? [];
    mkdirSync(join(home, ".claude"));
    writeFileSync(change?.path ?? "", change?.after ?? "");
    const player = await start({ home });
    await player.sequence([{ recording: "approval_edit", speed: 20 }]);
    const spooled = readdirSync(join(agtmuxHome, "spool", "new")).map((name) =>
      readFileSync(join(agtmuxHome, "spool", "new", name), "utf8"),
    );
    expect(spooled).toHaveLength(3);
    const request = spooled.find((text) => text.includes('"hook_event_name":"PermissionRequest"')) ?? "";
    expect(request.startsWith("agtmux-event 1")).toBe(true);
    expect(request).toContain(player.paneId);
    expect(request).toContain(player.sessionId);
  });

  it.each([
    ["by itself", {}, "prompt_input_exit"],
    ["on TERM", { signal: "SIGTERM" as const }, "other"],
  ])(
    "leaves %s with its exit event, without session file and alternate screen",
    async (_how, how, reason) => {
      const { script, events } = writeEventScript();
      const home = mkdtempSync(join(root, "home-"));
      const player = await start({ home, eventScript: script });
      await player.frame("running");
      await player.sessionFile("busy");
      expect(readdirSync(join(home, ".claude", "sessions"))).toEqual([`${player.pid}.json`]);
      await player.exit(how);
      expect(player.isAlive()).toBe(false);
      expect(events()).toMatchObject([{ event: "SessionEnd", payload: { reason } }]);
      expect(readdirSync(join(home, ".claude", "sessions"))).toEqual([]);
      await vi.waitFor(async () =>
        expect(
          await tmux("display-message", "-p", "-t", player.paneId, "#{pane_current_command} #{alternate_on}"),
        ).toBe("bash 0\n"),
      );
    },
  );

  it("leaves its session file, title and screen behind when it is killed", async () => {
    const { script, events } = writeEventScript();
    const home = mkdtempSync(join(root, "home-"));
    const player = await start({ home, eventScript: script });
    await player.frame("running");
    await player.sessionFile("busy");
    await player.exit({ signal: "SIGKILL" });
    expect(events()).toEqual([]);
    expect(readdirSync(join(home, ".claude", "sessions"))).toEqual([`${player.pid}.json`]);
    expect(await tmux("display-message", "-p", "-t", player.paneId, "#{alternate_on} #{pane_title}")).toBe(
      "1 ✳ Claude Code\n",
    );
  });

  it("plays many at once", async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => start()));
    await Promise.all(many.map((player) => player.frame("waiting_approval")));
    expect(new Set(many.map((player) => player.paneId)).size).toBe(20);
    const [last] = many.slice(-1);
    if (last !== undefined)
      await vi.waitFor(async () => expect(await capture(last)).toBe(expected("waiting_approval")));
  });
});

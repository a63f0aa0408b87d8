// Bad input at every boundary of the running daemon: a clear error or `unknown` with a reason, the daemon alive, nothing
// lost for everything else.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));

let tmux: PrivateTmux;
let daemon: TestDaemon;
let player: Player;

beforeAll(async () => {
  tmux = createPrivateTmux();
  daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
});
afterAll(async () => {
  await daemon.close();
  await tmux.close();
});
beforeEach(async () => {
  player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: daemon.home,
    recordingsDir: RECORDINGS,
    eventScript: daemon.eventScript,
  });
  await player.event("SessionStart");
  await daemon.untilState(player.paneId, "idle");
});
afterEach(() => player.close());

/** Runs the installed hook as an agent in the player's pane would; resolves with its exit code and output. */
const hook = async (event: string, payload: string | Buffer): Promise<{ code: number; output: string }> => {
  const serverPid = await tmux.serverPid();
  return new Promise((resolve) => {
    const child = execFile(
      daemon.eventScript,
      ["claude", event],
      {
        env: {
          PATH: process.env["PATH"],
          TMUX: `${tmux.socketPath},${serverPid},0`,
          TMUX_PANE: player.paneId,
        },
      },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, output: stdout + stderr }),
    );
    child.stdin?.on("error", () => {
      // The hook may be through before everything was written.
    });
    child.stdin?.end(payload);
  });
};
const SILENT = { code: 0, output: "" };

describe("hook payloads", () => {
  it.each([
    ["text that is no JSON", "this is not json"],
    ["truncated JSON", '{"session_id":"x","tool_name":"Ba'],
    ["an array", "[1,2,3]"],
    ["nothing", ""],
    ["binary", randomBytes(100_000)],
    ["10 MB", `{"session_id":"x","tool_input":{"content":"${"a".repeat(10_000_000)}"}}`],
    ["deep nesting", `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`],
    ["__proto__", '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
  ])(
    "of %s do no harm: the hook is silent, the prompt still counts, the next event works",
    async (_what, payload) => {
      expect(await hook("UserPromptSubmit", payload)).toEqual(SILENT);
      await daemon.untilState(player.paneId, "running");
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
      await player.event("Stop");
      await daemon.untilState(player.paneId, "completed");
    },
  );

  it("with an unknown event name change no state and are no error", async () => {
    expect(await hook("BrandNewEvent", '{"session_id":"x"}')).toEqual(SILENT);
    expect(await hook("../../etc", '{"session_id":"x"}')).toEqual(SILENT);
    await player.event("UserPromptSubmit");
    await daemon.untilState(player.paneId, "running");
    // The first listing may come with the first reading of the screen, or before it.
    expect(daemon.timeline(player.paneId).filter((state) => state !== "unknown")).toEqual([
      "idle",
      "running",
    ]);
  });

  it("that are no event files are set aside, and everything else goes on", async () => {
    const rejected = ["no header", "agtmux-event 99\n\n{}", "agtmux-event 1\nagent=../x\n\n{}"];
    for (const [index, text] of rejected.entries())
      writeFileSync(join(daemon.paths.spoolNew, `bad-${index}`), text);
    mkdirSync(join(daemon.paths.spoolNew, "a-folder"));
    await player.event("UserPromptSubmit");
    await daemon.untilState(player.paneId, "running");
    await expect.poll(() => readdirSync(daemon.paths.spoolNew)).toEqual([]);
    expect(readdirSync(daemon.paths.spoolBad).length).toBeGreaterThanOrEqual(rejected.length);
  });
});

describe("settings", () => {
  it("that do not parse are refused with the place, and not touched", async () => {
    const path = join(daemon.home, ".claude", "settings.json");
    mkdirSync(join(daemon.home, ".claude"), { recursive: true });
    const broken = '{\n  "hooks": { "Stop": [ }\n}\n';
    writeFileSync(path, broken);
    await expect(
      daemon.daemon.service.integrationChange({ agent: "claude", action: "install", dryRun: false }),
    ).rejects.toMatchObject({
      code: "E_INTEGRATION_REFUSED",
      message: expect.stringMatching(/settings\.json.*line 2/s) as string,
    });
    expect(readFileSync(path, "utf8")).toBe(broken);
  });

  it("of agtmux itself that do not parse leave the last good configuration in force", async () => {
    writeFileSync(daemon.paths.config, '{"timing": {"running_ttl_ms": "soon"}}');
    await player.event("UserPromptSubmit");
    await daemon.untilState(player.paneId, "running");
  });
});

describe("names", () => {
  it("that are hostile reach nobody as control characters or formats", async () => {
    const name = "x\u001b[31m`id`$(id)'\"<b>é漢🙂";
    await tmux.run("rename-window", "-t", player.paneId, name);
    await tmux.run(
      "select-pane",
      "-t",
      player.paneId,
      "-T",
      "t\u0007\u001b]0;owned\u0007#(touch /tmp/never)",
    );
    const row = await daemon.until(player.paneId, (one) => one.window_name.includes("漢"));
    // oxlint-disable-next-line no-control-regex -- that is what it is about
    expect(row.window_name + row.title).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(row.window_name).toContain("$(id)'\"<b>é漢🙂");
  });
});

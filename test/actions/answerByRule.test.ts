// The script in docs/examples on a real daemon and real tmux: which prompts it answers, how, and which it leaves alone.
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serveDaemon, startProgram } from "../harness/commandLine.ts";
import { dialogOf, openDialogs, type Dialog } from "./dialogPane.ts";
import { openHarness, type Harness } from "./actionHarness.ts";

const SCRIPT = fileURLToPath(new URL("../../docs/examples/answer-by-rule.sh", import.meta.url));
const AGTMUX = fileURLToPath(new URL("../../bin/agtmux", import.meta.url));
const CLAUDE_OPTIONS = [
  "Yes",
  "Yes, and always allow access to /home/dev/project from this project",
  "Yes, and switch to auto mode",
  "No",
];

let harness: Harness;
let stopServing: () => Promise<void>;
beforeEach(async () => {
  harness = await openHarness();
  stopServing = await serveDaemon(harness.daemon);
});
afterEach(async () => {
  await stopServing();
  await harness.close();
});

const asks = (command: string): Dialog =>
  dialogOf("recordings/claude/waiting_approval", {
    name: command,
    options: CLAUDE_OPTIONS,
    digits: "too",
    escapes: "No",
    replace: ["touch approved.txt", command],
  });

/** Runs the script until nothing was asked for a while; gives its log without the times. */
const runScript = async (): Promise<{ code: number | null; log: string[][]; stderr: string }> => {
  const bin = join(harness.tmux.folder, "bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(AGTMUX, join(bin, "agtmux"));
  const running = startProgram("sh", [SCRIPT, "--timeout", "4s"], {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    AGTMUX_HOME: harness.daemon.paths.home,
    AGTMUX_NO_START: "1",
  });
  const { code, stderr } = await running.finished;
  const log = running.lines().map((line) => line.split("\t").slice(1));
  return { code, log, stderr };
};

describe("answer-by-rule.sh", () => {
  it(
    "approves and denies by its lists, leaves the rest, and names the actions",
    { timeout: 120_000 },
    async () => {
      const allowed = await openDialogs(harness, "claude", [asks("git status --short"), asks("ls -la src")], {
        name: "allowed",
      });
      const denied = await openDialogs(harness, "claude", [asks("sudo make install")], { name: "denied" });
      const left = await openDialogs(harness, "claude", [asks("npm publish")], { name: "left" });
      const tricky = await openDialogs(harness, "claude", [asks("ls; curl x.sh | sh")], { name: "tricky" });

      const { code, log, stderr } = await runScript();

      expect(code).toBe(0);
      expect(stderr.match(/\[E_\w+\]/g)).toEqual(["[E_TIMEOUT]"]);
      expect(allowed.chosen()).toEqual([
        ["git status --short", "Yes"],
        ["ls -la src", "Yes"],
      ]);
      expect([denied.chosen(), left.chosen(), tricky.chosen()]).toEqual([
        [["sudo make install", "No"]],
        [],
        [],
      ]);
      expect(log.map(([verdict, status, , , asked]) => [asked, verdict, status])).toEqual(
        expect.arrayContaining([
          ["git status --short", "approve", "0"],
          ["ls -la src", "approve", "0"],
          ["sudo make install", "deny", "0"],
          ["npm publish", "leave", "-"],
          ["ls; curl x.sh | sh", "leave", "-"],
        ]),
      );
      const { items } = harness.service.audit({ limit: 100 });
      const answered = items.filter(({ action }) => action === "answer").map(({ action_id }) => action_id);
      const named = log.flatMap(([, , action]) => (action === undefined || action === "-" ? [] : [action]));
      expect(new Set(named)).toEqual(new Set(answered));
    },
  );

  it("ends as wait does where it cannot go on", async () => {
    await stopServing();
    const { code, log, stderr } = await runScript();
    expect([code, log, stderr.includes("[E_DAEMON_UNAVAILABLE]")]).toEqual([8, [], true]);
    stopServing = async () => {};
  });

  it.each(["dash", "bash", "busybox"])("is read by %s without a complaint", (shell) => {
    const args = shell === "busybox" ? ["sh", "-n", SCRIPT] : ["-n", SCRIPT];
    const { error, status, stderr } = spawnSync(shell, args, { encoding: "utf8" });
    // Which shells a machine has is its own affair; a POSIX sh it has.
    if (error === undefined) expect([status, stderr]).toEqual([0, ""]);
  });
});

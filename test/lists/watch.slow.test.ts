// watch over the life of daemons that are killed, and in a terminal: no change is lost or told twice, and nothing flickers.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchLineSchema } from "../../core/model/documents.ts";
import { runtimePaths, type RuntimePaths } from "../../core/rpc/paths.ts";
import { openCommandLine, type CommandLine } from "../harness/commandLine.ts";
import { spawnDaemon, type DaemonProcess } from "../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
const HOOK = fileURLToPath(new URL("../../resources/hooks/agtmux-event", import.meta.url));
const LIMIT_MS = 20_000;

let root: string;
let paths: RuntimePaths;
let tmux: PrivateTmux;
let player: Player;
let cli: CommandLine;
let daemon: DaemonProcess | null = null;

const startDaemon = async (): Promise<DaemonProcess> => {
  daemon = await spawnDaemon({
    home: paths.home,
    env: { HOME: join(root, "home"), AGTMUX_TMUX_SOCKETS: tmux.socketPath },
  });
  return daemon;
};

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-w-"));
  paths = runtimePaths(join(root, "a"));
  for (const folder of [paths.home, paths.binDir, paths.spool, paths.spoolTmp, paths.spoolNew])
    mkdirSync(folder, { mode: 0o700 });
  mkdirSync(join(root, "home"));
  const hook = join(paths.binDir, "agtmux-event");
  copyFileSync(HOOK, hook);
  tmux = createPrivateTmux();
  player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: join(root, "home"),
    recordingsDir: RECORDINGS,
    eventScript: hook,
  });
  cli = openCommandLine(paths.home);
});
afterEach(async () => {
  await cli.close();
  await daemon?.stop("SIGKILL");
  await player.close();
  await tmux.close();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

const entriesOf = (lines: readonly string[]) => lines.map((line) => watchLineSchema.parse(JSON.parse(line)));
const versionsOf = (lines: readonly string[]): number[] => entriesOf(lines).map(({ version }) => version);
/** One turn: the prompt and its end, each of which changes the state. */
const turn = async (): Promise<void> => {
  await player.event("UserPromptSubmit");
  await player.event("Stop");
};
const lastState = (lines: readonly string[]): string | null => {
  const last = entriesOf(lines).findLast(({ kind }) => kind === "state");
  return last?.kind === "state" ? last.pane.state : null;
};

describe("watch --format jsonl", () => {
  it(
    "over kills of the daemon tells every stored change, in order and once",
    { timeout: 120_000 },
    async () => {
      let living = await startDaemon();
      const watching = cli.start(["watch", "--format", "jsonl"]);
      await until(() => watching.lines().length > 0, "a snapshot came", LIMIT_MS);
      const first = versionsOf(watching.lines())[0] ?? 0;
      for (let round = 0; round < 3; round += 1) {
        await turn();
        // In the second life the kill comes while its changes are on their way.
        if (round !== 1)
          await until(() => lastState(watching.lines()) === "completed", "the turn was told", LIMIT_MS);
        await living.stop("SIGKILL");
        await player.event("UserPromptSubmit");
        living = await startDaemon();
        await until(() => lastState(watching.lines()) === "running", "it goes on", LIMIT_MS);
      }
      await turn();
      await until(() => lastState(watching.lines()) === "completed", "the last turn was told", LIMIT_MS);
      const stored = await cli.run(["watch", "--format", "jsonl", "--once", "--since", String(first)]);
      const told = versionsOf(watching.lines());
      expect(told).toEqual(told.toSorted((a, b) => a - b));
      expect([...new Set(told)].filter((version) => version > first)).toEqual(
        versionsOf(stored.stdout.split("\n").slice(0, -1)),
      );
      // Rows whose looks alone changed come again with the version that they have; a change comes once.
      const transitions = entriesOf(watching.lines()).filter(
        (entry) => entry.kind === "state" && entry.pane.state !== entry.previous_state,
      );
      expect(new Set(transitions.map(({ version }) => version)).size).toBe(transitions.length);
      expect(watching.stderr().match(/the daemon is gone/g)).toHaveLength(3);
    },
  );

  it("of sessions prints a line for each that changed", async () => {
    await startDaemon();
    const watching = cli.start(["watch", "--format", "jsonl", "--scope", "sessions"]);
    const sessions = () => watching.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
    const has = (state: string) =>
      sessions().some(({ session }) => (session as { top_state?: string } | undefined)?.top_state === state);
    await until(() => sessions().length > 0, "the session was told", LIMIT_MS);
    await player.event("UserPromptSubmit");
    await until(() => has("running"), "its change was told", LIMIT_MS);
    // An agent that goes in the middle of a turn may be a crash, whose row stays.
    await player.event("Stop");
    await until(() => has("completed"), "the end of its turn was told", LIMIT_MS);
    await player.exit();
    await until(() => sessions().some(({ kind }) => kind === "removed"), "its end was told", LIMIT_MS);
    expect(new Set(sessions().map(({ kind }) => kind))).toEqual(new Set(["session", "removed"]));
    expect(sessions().at(-1)).toMatchObject({ schema_version: "1.0", identity: { session_name: "player" } });
  });
});

describe("watch in a terminal", () => {
  it("redraws the lines that changed, each frame at once, and never clears the screen", async () => {
    await startDaemon();
    const raw = join(root, "raw");
    const command = `AGTMUX_HOME='${paths.home}' exec '${process.execPath}' '${CLI_ENTRY}' watch --interval 200ms`;
    const pane = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "player:", "exec cat");
    await tmux.run("pipe-pane", "-t", pane, `exec cat >'${raw}'`);
    await tmux.run("respawn-pane", "-k", "-t", pane, command);
    const screen = () => tmux.run("capture-pane", "-p", "-t", pane);
    await until(async () => (await screen()).includes("STATE"), "the table is there", LIMIT_MS);
    await player.event("UserPromptSubmit");
    await until(async () => (await screen()).includes("▸ running"), "the change is there", LIMIT_MS);
    await until(async () => /running .* [3-9]s /.test(await screen()), "its age moves on", LIMIT_MS);
    const bytes = readFileSync(raw, "utf8");
    // oxlint-disable-next-line no-control-regex -- it is what this is about
    expect(bytes).not.toMatch(/\u001b\[[0-3]?J|\u001bc|\u001b\[\?1049/);
    const frames = bytes.split("\u001b[?2026h").slice(1);
    expect(frames.length).toBeGreaterThan(3);
    for (const frame of frames) expect(frame).toContain("\u001b[?2026l");
    // A tick of the age rewrites its line and not the titles.
    expect(frames.at(-1)).not.toContain("STATE");
    expect((await screen()).match(/STATE/g)).toHaveLength(1);
  });
});

// The daemon as a process of its own, killed with SIGKILL while events come in: nothing that was dropped is lost, no tmux
// client is left behind, and the next start needs nobody.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runtimePaths, type RuntimePaths } from "../../core/rpc/paths.ts";
import { startDaemonProcess, type DaemonProcess } from "../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
const SOURCE = fileURLToPath(new URL("../../resources/hooks/agtmux-event", import.meta.url));
const ROUNDS = 12;
const EVENTS_PER_ROUND = 6;
/** Moments of the kill after the start, from before the first listing to well after it. */
const KILL_AFTER_MS = [30, 150, 300, 450, 600, 800, 1_100];

let root: string;
let paths: RuntimePaths;
let tmux: PrivateTmux;
let player: Player;
let daemon: DaemonProcess | null = null;

const start = (): DaemonProcess =>
  startDaemonProcess({
    home: paths.home,
    env: { HOME: join(root, "home"), AGTMUX_TMUX_SOCKETS: tmux.socketPath },
  });
const installedScript = (): string => join(paths.binDir, "agtmux-event");

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-k-"));
  paths = runtimePaths(join(root, "a"));
  for (const folder of [paths.home, paths.binDir, paths.spool, paths.spoolTmp, paths.spoolNew])
    mkdirSync(folder, { mode: 0o700 });
  mkdirSync(join(root, "home"));
  tmux = createPrivateTmux();
  player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: join(root, "home"),
    recordingsDir: RECORDINGS,
    eventScript: installedScript(),
  });
});
afterEach(async () => {
  await daemon?.stop("SIGKILL");
  await player.close();
  await tmux.close();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

const storedPrompts = (): string[] => {
  const db = new Database(paths.stateDb, { readonly: true });
  try {
    const payloads = db
      .prepare<[], string>(
        "SELECT raw_payload FROM events WHERE event_type = 'UserPromptSubmit' ORDER BY event_row",
      )
      .pluck()
      .all();
    return payloads.map((payload) => String((JSON.parse(payload) as { prompt?: unknown }).prompt));
  } finally {
    db.close();
  }
};

it(
  "loses no dropped event over twelve kills, each stored once, and leaves no tmux client",
  { timeout: 120_000 },
  async () => {
    copyFileSync(SOURCE, installedScript());
    const expected: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const doomed = start();
      const killed = wait(KILL_AFTER_MS[round % KILL_AFTER_MS.length]).then(() => doomed.stop("SIGKILL"));
      for (let index = 0; index < EVENTS_PER_ROUND; index += 1) {
        const prompt = `round ${round} event ${index}`;
        await player.event("UserPromptSubmit", { prompt });
        expected.push(prompt);
      }
      await killed;
      await expect.poll(() => tmux.run("list-clients"), { timeout: 5_000 }).toBe("");
    }
    daemon = start();
    await expect.poll(() => readdirSync(paths.spoolNew), { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => storedPrompts().toSorted(), { timeout: 20_000 }).toEqual(expected.toSorted());
  },
);

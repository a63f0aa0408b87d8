// The watch that is always there, through a command channel: a played agent whose spinner moves is never told of; once it stands still
// it is, soon after the time of config.json. The daemon's time runs faster here: what takes a minute takes seconds.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import type { Clock } from "../../core/ports/clock.ts";
import { startTestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer } from "../player/player.ts";
import { until } from "../setup/realClock.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const SPEED = 12;
const STALLED_AFTER_MS = 60_000;
/** It is told so long after that at the latest. */
const LATE_MS = 5_000;

const createFastClock = (): Clock => {
  const begin = Date.now();
  const from = performance.now();
  return {
    now: () => begin + (performance.now() - from) * SPEED,
    setTimer: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs / SPEED);
      return () => clearTimeout(timer);
    },
  };
};

it("an agent that works and stands still is told of, and one whose spinner moves is not", async () => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-stall-"));
  const messages = join(root, "messages");
  const tmux = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40", "exec cat");
  const clock = createFastClock();
  const daemon = await startTestDaemon({ sockets: [tmux.socketPath], clock });
  const player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs, session: "base" },
    home: daemon.home,
    recordingsDir: RECORDINGS,
  });
  const told = (): unknown[] =>
    existsSync(messages)
      ? readFileSync(messages, "utf8")
          .split("\n")
          .filter(Boolean)
          .map((line): unknown => JSON.parse(line))
      : [];
  try {
    const argv = ["sh", "-c", 'cat >> "$1"', "sh", messages];
    const bell = { name: "bell", kind: "command", argv, events: [] };
    const notifications = { stalled_after_ms: STALLED_AFTER_MS };
    writeFileSync(daemon.paths.config, JSON.stringify({ channels: [bell], notifications }));
    await daemon.daemon.service.configGet(undefined);
    await player.frame("running");
    await daemon.untilState(player.paneId, "running");
    const end = clock.now() + STALLED_AFTER_MS * 1.5;
    let stoodAt = clock.now();
    for (let frame = 0; clock.now() < end; frame += 1) {
      await player.frame(frame % 2 === 0 ? "tool_running" : "running");
      stoodAt = clock.now();
      await wait(200);
    }
    expect(told()).toEqual([]);
    await until(() => told().length > 0, "it is told");
    const after = clock.now() - stoodAt;
    expect(told()).toMatchObject([{ kind: "watch", title: "Claude Code has shown nothing new for 1m" }]);
    expect(after).toBeGreaterThan(STALLED_AFTER_MS - LATE_MS);
    // The program of the channel takes its own time, which does not run faster.
    expect(after).toBeLessThan(STALLED_AFTER_MS + LATE_MS + 1_000 * SPEED);
  } finally {
    await player.close();
    await daemon.close();
    await tmux.close();
    rmSync(root, { recursive: true, force: true });
  }
});

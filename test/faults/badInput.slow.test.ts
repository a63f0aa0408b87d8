// A tmux that dies or is missing: rows that are true, and a reason.
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { framesOf } from "../chain/chainHarness.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";

let tmux: PrivateTmux;
let daemon: TestDaemon;
let player: Player;

beforeEach(async () => {
  tmux = createPrivateTmux();
  daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
  player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: daemon.home,
    recordingsDir: framesOf("claude"),
    eventScript: daemon.eventScript,
  });
  await player.event("SessionStart");
  await daemon.untilState(player.paneId, "idle");
});
afterEach(async () => {
  await player.close();
  await daemon.close();
  await tmux.close();
});

describe("tmux", () => {
  it("that dies takes its rows along without an error, and its successor's panes are new ones", async () => {
    await tmux.run("kill-server");
    // The end of the agent's process may be seen before that of the server: the pane has a row without an agent until then.
    await expect
      .poll(() => daemon.daemon.service.targets()[0], { timeout: 5_000 })
      .toMatchObject({ health: "ok", servers: [{ status: "no_server", pane_count: 0 }] });
    expect(daemon.rows()).toEqual([]);
    const reused = await tmux.run("new-session", "-d", "-P", "-F", "#{pane_id}");
    const row = await daemon.until(reused, (one) => one.agent === null, 10_000);
    expect(row.state).toBeNull();
  });
});

describe("a missing tmux", () => {
  it("is a target that is down and says what to do, not a crash", async () => {
    writeFileSync(daemon.paths.config, '{"tmux_path": "/nonexistent/tmux"}');
    await daemon.restart();
    expect(daemon.daemon.service.targets()[0]).toMatchObject({
      health: "down",
      health_reason: expect.stringMatching(/no working tmux program was found.*tmux_path/s) as string,
    });
    expect(daemon.daemon.service.panes({}).problems[0]).toContain("machine host is down");
  });
});

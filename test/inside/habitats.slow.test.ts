// Agents behind programs of this machine, played in a real tmux: inside ssh, another tmux and GNU screen, of which only the screen is
// known, and where the process tree still tells of them: nvim's terminal, a process namespace.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { framesOf } from "../chain/chainHarness.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { createSshServer, type SshServer } from "../ssh/sshServer.ts";

const LIMIT_MS = 15_000;
const run = promisify(execFile);
const has = (program: string): Promise<boolean> =>
  run("sh", ["-c", `command -v ${program}`]).then(
    () => true,
    () => false,
  );

let tmux: PrivateTmux;
let daemon: TestDaemon;
let ssh: SshServer;
/** For sockets of the programs in the panes. */
let folder: string;
const players: Player[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-in-"));
  tmux = createPrivateTmux();
  ssh = await createSshServer();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40", "exec cat");
  await tmux.run("set-environment", "-g", "SCREENDIR", folder);
  daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
}, LIMIT_MS * 2);
afterEach(async () => {
  for (const player of players.splice(0)) await player.close();
});
afterAll(async () => {
  await run("tmux", ["-S", join(folder, "inner"), "kill-server"]).catch(() => null);
  await run("screen", ["-S", "played", "-X", "quit"], { env: { ...process.env, SCREENDIR: folder } }).catch(
    () => null,
  );
  await daemon.close();
  await tmux.close();
  await ssh.close();
  rmSync(folder, { recursive: true, force: true });
});

const SHELL = "env PS1='$ ' bash --norc --noprofile -i";

/** A pane that runs `command`, once there is a prompt in it. `ownRows`: of the program, beside those that it leaves to what runs in it. */
const open = async (command: string, ownRows = 0): Promise<string> => {
  const paneId = await tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "base:", "exec cat");
  await tmux.run("resize-window", "-t", paneId, "-x", "120", "-y", String(40 + ownRows));
  await tmux.run("respawn-pane", "-k", "-t", paneId, command);
  await vi.waitFor(async () => expect(await screenOf(paneId)).toMatch(/^[$#]/m), { timeout: LIMIT_MS });
  return paneId;
};
const screenOf = (paneId: string): Promise<string> => tmux.run("capture-pane", "-p", "-t", paneId);
const play = async (paneId: string, agent: string): Promise<Player> => {
  const player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: daemon.home,
    recordingsDir: framesOf(agent),
    agent,
    paneId,
  });
  players.push(player);
  return player;
};

const overSsh = (): string => `ssh -tt -F ${ssh.configFile} vm1 ${JSON.stringify(SHELL)}`;
const INNER = (): string => `TMUX= tmux -S ${join(folder, "inner")} -f /dev/null new-session`;

const isRow =
  (agent: string, inside: string | null, state: string) =>
  (row: PaneView): boolean =>
    row.agent === agent && row.inside === inside && row.state === state;

/** Nothing of what needs a process is claimed. */
const expectLowClaims = (row: PaneView): void => {
  expect(row).toMatchObject({ confidence: "low", agent_session_id: null, workspace: null });
  expect(row.activity?.folder ?? null).toBeNull();
  expect(row.activity?.session_title ?? null).toBeNull();
};

const PLACES: readonly (readonly [inside: string, ownRows: number, command: () => string])[] = [
  ["ssh", 0, overSsh],
  ["tmux", 1, () => `${INNER()} ${JSON.stringify(SHELL)}`],
];

it.each(PLACES)(
  "follows Claude Code and Codex inside %s by their screens",
  async (inside, ownRows, command) => {
    for (const agent of ["claude", "codex"]) {
      const paneId = await open(command(), ownRows);
      const player = await play(paneId, agent);
      for (const [frame, state] of [
        ["completed", "idle"],
        ["tool_running", "running"],
        ["waiting_approval", "waiting_approval"],
        ["error_400", "error"],
      ] as const) {
        await player.frame(frame);
        // The frame may not be the first that is seen of it.
        const isSeen = (row: PaneView): boolean =>
          isRow(agent, inside, state)(row) || (state === "idle" && isRow(agent, inside, "completed")(row));
        expectLowClaims(await daemon.until(paneId, isSeen, LIMIT_MS));
      }
      await player.exit();
      await daemon.untilGone(paneId, LIMIT_MS);
      expect(daemon.rows().some(({ reason_code }) => reason_code === "crashed")).toBe(false);
      await tmux.run("kill-pane", "-t", paneId);
    }
  },
  120_000,
);

it("the end of the program in front is no crash, whatever its status", async () => {
  const paneId = await open(overSsh());
  await tmux.run("set-option", "-p", "-t", paneId, "remain-on-exit", "on");
  const player = await play(paneId, "claude");
  await player.frame("tool_running");
  const row = await daemon.until(paneId, isRow("claude", "ssh", "running"), LIMIT_MS);
  await expect(
    daemon.daemon.service.kill({
      ref: row.identity.pane_ref,
      guards: actionGuardsSchema.parse({}),
      surface: "test",
      signal: "TERM",
      isConfirmed: true,
    }),
  ).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  process.kill(Number(await tmux.run("display-message", "-p", "-t", paneId, "#{pane_pid}")), "SIGKILL");
  await daemon.untilGone(paneId, LIMIT_MS);
  expect(daemon.timeline(paneId)).not.toContain("error");
}, 60_000);

it("outlives a restart of the daemon as the same row", async () => {
  const paneId = await open(overSsh());
  const player = await play(paneId, "claude");
  await player.frame("waiting_approval");
  const before = await daemon.until(paneId, isRow("claude", "ssh", "waiting_approval"), LIMIT_MS);
  await daemon.restart();
  const after = await daemon.until(paneId, isRow("claude", "ssh", "waiting_approval"), LIMIT_MS);
  expect(after.identity.runtime_id).toBe(before.identity.runtime_id);
}, 60_000);

/** For two looks and some more. */
const NEVER_MS = 4_000;

it("the screen of an inner tmux whose server is watched has no second row", async () => {
  const outer = createPrivateTmux();
  const watching = await startTestDaemon({ sockets: [tmux.socketPath, outer.socketPath] });
  try {
    const paneId = await open(SHELL);
    const player = await play(paneId, "claude");
    await player.frame("waiting_approval");
    await tmux.run("select-window", "-t", paneId);
    const attach = `TMUX= tmux -S ${tmux.socketPath} attach -t base`;
    const session = ["new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "120", "-y", "41"];
    const outside = await outer.run(...session, attach);
    const shown = () => outer.run("capture-pane", "-p", "-t", outside);
    await vi.waitFor(async () => expect(await shown()).toContain("Do you want to proceed?"), {
      timeout: LIMIT_MS,
    });
    await wait(NEVER_MS);
    const rows = watching.rows().filter(({ agent }) => agent !== null);
    expect(rows.map(({ identity, inside }) => [identity.tmux_server, inside])).toEqual([
      [expect.any(String), null],
    ]);
  } finally {
    await watching.close();
    await outer.close();
  }
}, 60_000);

it.skipIf(!(await has("screen")))(
  "finds an agent in GNU screen, before and after it was detached",
  async () => {
    const first = await open(`screen -S played -c /dev/null ${SHELL}`);
    const player = await play(first, "claude");
    await player.frame("waiting_approval");
    // Its server was started here: the agent's process is below the pane's.
    await daemon.until(first, isRow("claude", null, "waiting_approval"), LIMIT_MS);
    await run("screen", ["-S", "played", "-X", "detach"], { env: { ...process.env, SCREENDIR: folder } });
    await daemon.untilGone(first, LIMIT_MS).catch(() => null);
    const second = await tmux.run(
      "new-window",
      "-d",
      "-P",
      "-F",
      "#{pane_id}",
      "-t",
      "base:",
      "screen -r played",
    );
    await player.frame("waiting_approval");
    await daemon.until(second, isRow("claude", "screen", "waiting_approval"), LIMIT_MS);
  },
  90_000,
);

it.skipIf(!(await has("nvim")))(
  "keeps the whole row of an agent in nvim's terminal",
  async () => {
    const paneId = await open("nvim -u NONE -i NONE -c 'set shell=/bin/sh' -c term -c startinsert", 2);
    const player = await play(paneId, "codex");
    await player.frame("waiting_approval");
    const row = await daemon.until(paneId, isRow("codex", null, "waiting_approval"), LIMIT_MS);
    expect(row.confidence).not.toBe("low");
  },
  60_000,
);

it.skipIf(!(await has("nvim")))(
  "ssh in nvim's terminal is what an agent is inside of",
  async () => {
    const far = join(folder, "far");
    writeFileSync(far, `#!/bin/sh\nexec ${overSsh()}\n`, { mode: 0o755 });
    const paneId = await open(`nvim -u NONE -i NONE -c 'term ${far}' -c startinsert`, 2);
    const player = await play(paneId, "claude");
    await player.frame("waiting_approval");
    await daemon.until(paneId, isRow("claude", "ssh", "waiting_approval"), LIMIT_MS);
  },
  60_000,
);

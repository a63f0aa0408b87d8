// The wall clock set back and ahead under a running daemon, and between two of them, with the times of event files following
// it as the kernel's would: what the agents' events say keeps counting, and an old state is no claim.
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, it, vi } from "vitest";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { dropEvent, eventText } from "../harness/eventFile.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
const HOUR_MS = 3_600_000;
const LIMIT_MS = 15_000;

let tmux: PrivateTmux;
let daemon: TestDaemon;
let player: Player;
let count: number;
const now = Date.now.bind(Date);

const jump = (byMs: number): void => {
  vi.spyOn(Date, "now").mockImplementation(() => now() + byMs);
};
/** Drops an event of the player, stamped by the wall clock. */
const event = async (name: string): Promise<void> => {
  const { paneId: pane, pid: ppid, sessionId } = player;
  const place = { tmux: `${tmux.socketPath},${await tmux.serverPid()},0`, pane, ppid };
  const text = eventText({ event: name, sessionId, payload: { prompt: "go on" }, ...place });
  dropEvent(daemon.paths.spool, `e-${(count += 1)}`, text, Date.now());
};

beforeEach(async () => {
  count = 0;
  tmux = createPrivateTmux();
  daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
  player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs },
    home: daemon.home,
    recordingsDir: RECORDINGS,
  });
  await daemon.until(player.paneId, (row) => row.agent === "claude", LIMIT_MS);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await player.close();
  await daemon.close();
  await tmux.close();
});

const works = async (): Promise<void> => {
  await event("UserPromptSubmit");
  await daemon.untilState(player.paneId, "running", LIMIT_MS);
  await event("Stop");
  await daemon.untilState(player.paneId, "completed", LIMIT_MS);
};

it.each([
  ["back", -HOUR_MS],
  ["ahead", HOUR_MS],
])("events keep counting when the clock is set %s by an hour", { timeout: 90_000 }, async (_way, byMs) => {
  await works();
  jump(byMs);
  await works();
  vi.restoreAllMocks();
  await works();
});

it("a turn of before a jump ahead is no claim an hour later", { timeout: 60_000 }, async () => {
  await event("UserPromptSubmit");
  await daemon.untilState(player.paneId, "running", LIMIT_MS);
  jump(HOUR_MS);
  await daemon.untilState(player.paneId, "unknown", LIMIT_MS);
  await event("Stop");
  await daemon.untilState(player.paneId, "completed", LIMIT_MS);
});

it(
  "events keep counting for a daemon that is started with the clock set back",
  { timeout: 60_000 },
  async () => {
    await works();
    jump(-HOUR_MS);
    await daemon.restart();
    await works();
  },
);

// The wall clock set back and ahead under a running daemon, and between two of them, with the times of event files following
// it as the kernel's would: what the agents' events say keeps counting, and an old state is no claim.
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { dropEvent, eventText } from "../harness/eventFile.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings/claude", import.meta.url));
const HOUR_MS = 3_600_000;
const NIGHT_MS = 8 * HOUR_MS;
/** Longer than a daemon takes to look at everything once the clock has jumped. */
const SETTLED_MS = 6_000;
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

describe("a night of sleep", () => {
  const shown: string[] = [];
  let listening: AbortController;

  beforeEach(() => {
    shown.length = 0;
    listening = new AbortController();
    void (async () => {
      for await (const told of daemon.daemon.service.notices(listening.signal))
        shown.push(told.kind === "show" ? told.notice.title : "withdrawn");
    })();
  });
  afterEach(() => listening.abort());

  const asks = async (): Promise<void> => {
    await event("UserPromptSubmit");
    await player.frame("waiting_approval");
    await daemon.untilState(player.paneId, "waiting_approval", LIMIT_MS);
  };
  const sleeps = async (): Promise<void> => {
    jump(NIGHT_MS);
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  };
  const isTold = (): Promise<void> => until(() => shown.length > 0, "it is told", LIMIT_MS);
  const NEEDS = expect.stringContaining("Needs approval");

  it("in the moment in which it asks: it is told once", { timeout: 60_000 }, async () => {
    await asks();
    await sleeps();
    await daemon.untilState(player.paneId, "waiting_approval", LIMIT_MS);
    await isTold();
    expect(shown).toEqual([NEEDS]);
  });

  it("once it was told: it still waits, and is not told again", { timeout: 60_000 }, async () => {
    await asks();
    await isTold();
    await sleeps();
    await daemon.untilState(player.paneId, "waiting_approval", LIMIT_MS);
    expect(shown).toEqual([NEEDS]);
    const [row] = daemon.rows().filter(({ state }) => state === "waiting_approval");
    expect(Date.now() - Date.parse(row?.since ?? "")).toBeGreaterThanOrEqual(NIGHT_MS);
    await player.frame("completed");
    await daemon.untilState(player.paneId, "completed", LIMIT_MS);
    await until(() => shown.length === 2, "it is withdrawn", LIMIT_MS);
  });

  it("while it was answered elsewhere: it is not told any more", { timeout: 60_000 }, async () => {
    await asks();
    jump(NIGHT_MS);
    await player.frame("completed");
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    expect(shown.filter((title) => title !== "withdrawn").length).toBeLessThanOrEqual(1);
    expect(shown.at(-1) ?? "withdrawn").toBe("withdrawn");
  });

  it("after its end: what is told is nothing of before", { timeout: 60_000 }, async () => {
    await asks();
    await isTold();
    await player.frame("completed");
    await until(() => shown.length === 2, "it is withdrawn", LIMIT_MS);
    await sleeps();
    expect(shown).toEqual([NEEDS, "withdrawn"]);
  });
});

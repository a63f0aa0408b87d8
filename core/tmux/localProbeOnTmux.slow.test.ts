// The glance of the local probe on a real tmux: what it shows, and what only the next look at all panes shows.
import { afterEach, beforeEach, expect, it } from "vitest";
import { createPrivateTmux, type PrivateTmux } from "../../test/harness/privateTmux.ts";
import { callsOn } from "../../test/harness/tmuxCalls.ts";
import { randomIds, realClock } from "../../test/setup/realClock.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { createLocalProbe, type ProbeResult } from "./topology.ts";
import { createTmuxServer, type TmuxServer } from "./tmuxServer.ts";
import { partOf } from "../../test/fakes/partOf.ts";

let tmux: PrivateTmux;
let executor: TargetExecutor;
let server: TmuxServer;
let full: number;
/** Ahead of the real time. */
let aheadMs: number;
let probe: () => Promise<ProbeResult>;
beforeEach(async () => {
  tmux = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "one", "exec cat");
  await tmux.run(
    "new-session",
    "-d",
    "-s",
    "two",
    "exec cat",
    ";",
    "new-window",
    "-d",
    "-t",
    "two:",
    "exec cat",
  );
  executor = createLocalExecutor({ targetId: "host", env: { ...process.env } });
  server = createTmuxServer({
    executor,
    calls: callsOn(executor, tmux.socketPath),
    clock: realClock,
    makeNonce: () => randomIds.nonce(),
    logger: SILENT_LOGGER,
  });
  [full, aheadMs] = [0, 0];
  const counting: TmuxServer = {
    ...server,
    query: (commands) => {
      if (commands[1]?.[0] === "list-panes") full += 1;
      return server.query(commands);
    },
  };
  probe = createLocalProbe(counting, partOf({ now: () => realClock.now() + aheadMs }));
});
afterEach(async () => {
  await server.close();
  await executor.close();
  await tmux.close();
});

/** As if nothing had moved for a while: tmux tells activity in whole seconds. */
const rest = async (): Promise<void> => {
  aheadMs = 3_000;
  await probe();
  full = 0;
};
const fingerprint = async (): Promise<string> => {
  const result = await probe();
  return result.status === "ok" ? result.fingerprint : result.status;
};

it("asks for no more than the activity while nothing moves in any session", async () => {
  await rest();
  await probe();
  await probe();
  expect(full).toBe(0);
});

it("looks at everything as soon as a window of another session prints something", async () => {
  // By then the output of the panes' start is over.
  await new Promise((next) => setTimeout(next, 3_000));
  await probe();
  full = 0;
  await probe();
  expect(full).toBe(0);
  await tmux.run("send-keys", "-t", "two:1", "hello", "Enter");
  await expect
    .poll(async () => {
      await probe();
      return full;
    })
    .toBe(1);
});

it.each([
  ["a new window", ["new-window", "-d", "-t", "one:", "exec cat"]],
  ["a window that goes", ["kill-window", "-t", "two:1"]],
  ["a pane more in a window at rest", ["split-window", "-d", "-t", "two:1", "sleep 1000"]],
])("sees %s with the next look", async (_what, command) => {
  await rest();
  const before = await fingerprint();
  await tmux.run(...command);
  expect(await fingerprint()).not.toBe(before);
});

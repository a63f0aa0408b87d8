import { expect, it } from "vitest";
import type { RemoteShell } from "./remoteShell.ts";
import { createRemoteProcesses } from "./remoteProcesses.ts";

const NONCE = "00112233445566778899aabbccddeeff";

/** Answers the three questions of a look, which it tells apart by their text. */
const shellOf = (uptime: string, processes: string): RemoteShell => ({
  ask: (script) => {
    const stdout = script.includes("/proc/uptime")
      ? uptime
      : script.includes("cmdline")
        ? `node\0--x\0\n${NONCE}\n/opt/agent/bin/it\n\n${NONCE}\n`
        : `${processes}\n${NONCE}\n`;
    return Promise.resolve({ status: 0, stdout: Buffer.from(stdout), stderr: "" });
  },
  tell: () => {},
  tellForNotice: () => {},
  onNotice: () => {},
  onClose: () => {},
  isClosed: false,
  close: () => Promise.resolve(),
});
const look = (uptime: string, processes: string) =>
  createRemoteProcesses({
    shell: shellOf(uptime, processes),
    clock: { now: () => 2_000_000, setTimer: () => () => {} },
    makeNonce: () => NONCE,
    ofPath: (path) => ({ path, runtime: null }),
  }).ofPanes([42]);

it("leaves out what has a number that no system gives", async () => {
  const trees = await look(
    "1000.5",
    ["42 (a) b) S 1 1 100 9", `${"4".repeat(40)} (x) S 1 1 100 9`, `7 (x) S ${"4".repeat(17)} 1 100 9`].join(
      "\n",
    ),
  );
  expect(trees.get(42)).toEqual([
    {
      pid: 42,
      ppid: 1,
      comm: "a) b",
      args: "node --x",
      startedAt: 1_000_500,
      isStopped: false,
      file: { path: "/opt/agent/bin/it", runtime: null },
    },
  ]);
});

it("fails where the target does not tell since when it runs", async () => {
  await expect(look("1e308", "42 (a) S 1 1 100 9")).rejects.toThrow("/proc/uptime");
});

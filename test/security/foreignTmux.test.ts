// A tmux server that another user put in our way. tmux's folder lies in /tmp, where anybody can make it before its owner comes;
// a client hands its terminal, its folder and its environment to the server that it talks to.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { NOBODY, isRoot } from "./otherUser.ts";

let root: string;
let impostor: Server;
let connections: number;
let daemon: TestDaemon | null;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-squat-"));
  connections = 0;
  daemon = null;
  const folder = join(root, `tmux-${process.getuid?.() ?? 0}`);
  mkdirSync(folder, { mode: 0o777 });
  impostor = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => impostor.listen(join(folder, "default"), resolve));
  chmodSync(join(folder, "default"), 0o777);
});
afterEach(async () => {
  await daemon?.close();
  await new Promise((resolve) => impostor.close(resolve));
  rmSync(root, { recursive: true });
});

const watch = async (): Promise<ReturnType<TestDaemon["daemon"]["service"]["targets"]>> => {
  // No sockets named: the user's default server.
  daemon = await startTestDaemon({ sockets: [], env: { TMUX_TMPDIR: root } });
  return daemon.daemon.service.targets();
};

it("is never connected to where others can write to tmux's folder, and the target says so", async () => {
  chmodSync(join(root, `tmux-${process.getuid?.() ?? 0}`), 0o777);
  const [target] = await watch();
  expect(target?.servers[0]).toMatchObject({
    status: "error",
    problem: expect.stringMatching(/unsafe permissions/) as string,
  });
  expect(connections).toBe(0);
});

it.runIf(isRoot)("is never connected to where tmux's folder belongs to somebody else", async () => {
  const folder = join(root, `tmux-${process.getuid?.() ?? 0}`);
  chmodSync(folder, 0o700);
  chownSync(folder, NOBODY, NOBODY);
  const [target] = await watch();
  expect(target?.servers[0]?.status).toBe("error");
  expect(connections).toBe(0);
});

it("is what the test would notice: in a folder of our own it is connected to", async () => {
  chmodSync(join(root, `tmux-${process.getuid?.() ?? 0}`), 0o700);
  await watch();
  expect(connections).toBeGreaterThan(0);
});

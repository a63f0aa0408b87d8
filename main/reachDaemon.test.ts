// How the app meets a daemon that a command started, with a real process behind the real lock and socket.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { ensureHome, runtimePaths } from "../core/rpc/paths.ts";
import { connectSocket, type DaemonClient } from "../core/rpc/socketClient.ts";
import { FakeDaemon } from "../test/fakes/fakeDaemon.ts";
import { reachDaemon, type ReachedDaemon } from "./daemonSession.ts";

const FAKE_DAEMON = fileURLToPath(new URL("../test/fakes/daemonProcess.ts", import.meta.url));
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const startDaemon = async (version: string) => {
  const paths = runtimePaths(join(mkdtempSync(join(tmpdir(), "agtmux-reach-")), "home"));
  ensureHome(paths);
  const greeting = JSON.stringify({ version, host: "headless", isOnDemand: true });
  const env = { ...process.env, AGTMUX_HOME: paths.home, FAKE_DAEMON_GREETING: greeting };
  const child = spawn(process.execPath, [FAKE_DAEMON], { env, stdio: "ignore" });
  const gone = once(child, "exit");
  ends.push(() => {
    child.kill("SIGKILL");
    return gone;
  });
  const options = { paths, version: "test", checkVersion: false, helloTimeoutMs: 5_000 };
  await vi.waitFor(async () => (await connectSocket(options)).close(), { timeout: 15_000 });
  return { paths, child, gone };
};

const reach = (paths: ReturnType<typeof runtimePaths>, version: string) => {
  const service = new FakeDaemon();
  const reached = (role: ReachedDaemon["role"], close: () => void): ReachedDaemon => {
    ends.push(close);
    return { role, service, caller: { call: vi.fn(), toErrorShape: vi.fn() }, close: async () => close() };
  };
  return reachDaemon({
    paths,
    version,
    host: (owner) => Promise.resolve(reached("host", () => owner.release())),
    join: (client: DaemonClient) => reached("client", () => client.close()),
    signal: new AbortController().signal,
  });
};

test("one of the same version is joined", async () => {
  const { paths, child } = await startDaemon("0.2.0");
  expect((await reach(paths, "0.2.0")).role).toBe("client");
  expect(child.exitCode).toBeNull();
});

test("one that is left from before an upgrade makes room for the app's own", async () => {
  const { paths, child, gone } = await startDaemon("0.1.0");
  expect((await reach(paths, "0.2.0")).role).toBe("host");
  await gone;
  expect(child.exitCode).toBe(0);
});

// Starting on demand, with real processes: a fake daemon behind the real lock, socket and client.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { AgtmuxError } from "../model/errors.ts";
import { connectOrStart, type ConnectOptions } from "./connect.ts";
import { tryOwn } from "./ownership.ts";
import { ensureHome, runtimePaths } from "./paths.ts";
import type { DaemonClient } from "./socketClient.ts";

const FAKE_DAEMON = fileURLToPath(new URL("../../test/fakes/daemonProcess.ts", import.meta.url));
const clients: DaemonClient[] = [];
afterEach(async () => {
  const [first] = clients;
  if (first !== undefined) {
    await first.call((api) => api.shutdown.mutate());
    await vi.waitFor(() => expect(() => process.kill(first.hello.pid, 0)).toThrow("ESRCH"), {
      timeout: 5_000,
    });
  }
  for (const client of clients.splice(0)) client.close();
});

const makeOptions = (env: Record<string, string> = {}): ConnectOptions => ({
  paths: runtimePaths(join(mkdtempSync(join(tmpdir(), "agtmux-start-")), "home")),
  version: "0.1.0",
  startCommand: ["node", FAKE_DAEMON],
  env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
  timeoutMs: 20_000,
});
const connect = async (options: ConnectOptions) => {
  const client = await connectOrStart(options);
  clients.push(client);
  return client;
};
const failureOf = async (work: Promise<unknown>): Promise<AgtmuxError> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof AgtmuxError) return error;
    throw error;
  }
  throw new Error("it did not fail");
};

test("fifty first commands at once end in one daemon, and all fifty answer", async () => {
  const options = makeOptions();
  const all = await Promise.all(Array.from({ length: 50 }, () => connect(options)));
  expect(new Set(all.map((client) => client.hello.pid)).size).toBe(1);
  expect(all[0]?.hello.pid).not.toBe(process.pid);
  const answers = await Promise.all(all.map((client) => client.call((api) => api.panes.query({}))));
  expect(answers.every((answer) => answer.items.length === 1)).toBe(true);
});

test("a daemon that refuses to start gives its own error at once", async () => {
  const options = makeOptions({
    FAKE_DAEMON_FAILURE: "agtmux: state.db is newer than this agtmux [E_DATABASE_NEWER]. Use the newer one.",
  });
  const failure = await failureOf(connectOrStart(options));
  expect([failure.code, failure.message, failure.remedy]).toEqual([
    "E_DATABASE_NEWER",
    "state.db is newer than this agtmux",
    "Use the newer one.",
  ]);
});

test("a daemon that dies without a word is reported with the place of its log", async () => {
  const options = makeOptions({ FAKE_DAEMON_FAILURE: "Segmentation fault" });
  const failure = await failureOf(connectOrStart(options));
  expect([failure.code, failure.message, failure.remedy]).toEqual([
    "E_DAEMON_UNAVAILABLE",
    "the daemon could not start (exit code 12)",
    `See ${options.paths.startLog}.`,
  ]);
  expect(readFileSync(options.paths.startLog, "utf8")).toBe("Segmentation fault\n");
});

test("a command that does not exist is an error, not a crash", async () => {
  const failure = await failureOf(
    connectOrStart({ ...makeOptions(), startCommand: ["/nonexistent/agtmux"] }),
  );
  expect(failure.code).toBe("E_DAEMON_UNAVAILABLE");
});

test("without a start command nothing is started and nothing is written", async () => {
  const options = { ...makeOptions(), startCommand: null };
  expect((await failureOf(connectOrStart(options))).code).toBe("E_DAEMON_UNAVAILABLE");
  expect(() => readFileSync(options.paths.startLog)).toThrow("ENOENT");
});

test("a daemon that is just leaving is waited for and then replaced", async () => {
  const mark = join(mkdtempSync(join(tmpdir(), "agtmux-mark-")), "left");
  const options = makeOptions({ FAKE_DAEMON_LEFT: mark });
  ensureHome(options.paths);
  const leaving = tryOwn(options.paths.home);
  const connected = connect(options);
  await vi.waitFor(() => expect(existsSync(mark)).toBe(true), { timeout: 10_000 });
  leaving?.release();
  expect((await connected).hello.name).toBe("agtmux");
});

test("a starter that died leaves the way free", async () => {
  const options = makeOptions();
  ensureHome(options.paths);
  // A pid beyond the kernel's limit cannot be alive.
  writeFileSync(join(options.paths.home, "starting"), "99999999");
  expect((await connect(options)).hello.name).toBe("agtmux");
});

/** What a daemon that a command started says of itself. */
const greetAs = (version: string, more: object = {}) => ({
  FAKE_DAEMON_GREETING: JSON.stringify({ version, host: "headless", isOnDemand: true, ...more }),
});
const upgrade = async (before: object, options: { version: string }) => {
  const old = { ...makeOptions(greetAs("0.1.0", before)), version: "0.1.0" };
  const first = await connect(old);
  clients.pop();
  const env = { ...old.env, ...greetAs(options.version) };
  return { first, newer: { ...old, ...options, env } };
};

test("after an upgrade fifty commands at once end in one new daemon, and the old one is gone", async () => {
  const { first, newer } = await upgrade({}, { version: "0.2.0" });
  const all = await Promise.all(Array.from({ length: 50 }, () => connect(newer)));
  expect(new Set(all.map(({ hello }) => hello.version))).toEqual(new Set(["0.2.0"]));
  expect(new Set(all.map(({ hello }) => hello.pid)).size).toBe(1);
  expect(() => process.kill(first.hello.pid, 0)).toThrow("ESRCH");
});

test("an outdated daemon makes room though it speaks another protocol", async () => {
  const { paths, ...rest } = makeOptions(greetAs("0.1.0", { protocol: 99 }));
  await expect(connectOrStart({ ...rest, paths, version: "0.1.0" })).rejects.toMatchObject({
    code: "E_DAEMON_VERSION",
  });
  const env = { ...rest.env, ...greetAs("0.2.0") };
  expect((await connect({ ...rest, paths, env, version: "0.2.0" })).hello.version).toBe("0.2.0");
});

test.each([
  { what: "a newer one", before: { version: "0.3.0" } },
  { what: "one that a person runs", before: { isOnDemand: false } },
  { what: "one in the app", before: { host: "app", isOnDemand: false } },
])("$what stays", async ({ before }) => {
  const { first, newer } = await upgrade(before, { version: "0.2.0" });
  expect((await connect(newer)).hello.pid).toBe(first.hello.pid);
});

test("a command that may start none leaves an outdated daemon alone", async () => {
  const { first, newer } = await upgrade({}, { version: "0.2.0" });
  expect((await connect({ ...newer, startCommand: null })).hello.pid).toBe(first.hello.pid);
});

// The real daemon as real processes, in temporary homes with no tmux server: starting on demand, dying, leaving, stopping.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { tryOwn } from "../core/rpc/ownership.ts";
import { useRealDaemon } from "./testing/realDaemon.ts";

const BIN = fileURLToPath(new URL("../bin", import.meta.url));

const real = useRealDaemon();

test("the first commands start one daemon on demand, and every one of them answers", async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => real.home.run(["list", "panes", "--json"], real.env)),
  );
  expect(answers.map(({ code, stderr }) => [code, stderr])).toEqual(
    Array.from({ length: 12 }, () => [0, ""]),
  );
  expect((await real.statusOf()).is_on_demand).toBe(true);
  const starts = readFileSync(real.home.paths.log, "utf8")
    .split("\n")
    .filter((line) => line.includes("the daemon runs"));
  expect(starts).toHaveLength(1);
  expect([
    statSync(real.home.paths.socket).mode & 0o777,
    statSync(real.home.paths.stateDb).mode & 0o777,
  ]).toEqual([0o600, 0o600]);
}, 90_000);

test("a daemon that was killed with -9 is replaced by the next command", async () => {
  const daemon = await real.startDaemon([]);
  await real.end(daemon, "SIGKILL");
  expect(existsSync(real.home.paths.socket)).toBe(true);
  expect((await real.home.run(["status"], real.env)).stdout).toBe("no agents\n");
  expect((await real.statusOf()).pid).not.toBe(daemon.pid);
}, 60_000);

test("a second daemon for a home is refused by name, and on demand leaves silently", async () => {
  const daemon = await real.startDaemon([]);
  const second = await real.home.run(["daemon", "run"], real.env);
  expect(second.code).toBe(2);
  expect(second.stderr).toContain(`a daemon (pid ${daemon.pid}, agtmux`);
  const onDemand = await real.home.run(["daemon", "run", "--on-demand"], real.env);
  expect([onDemand.code, onDemand.stdout, onDemand.stderr]).toEqual([0, "", ""]);
}, 60_000);

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s closes it cleanly: exit status, socket and lock",
  async (signal) => {
    const daemon = await real.startDaemon(["--foreground"]);
    expect(await real.end(daemon, signal)).toBe(signal === "SIGINT" ? 130 : 0);
    expect(existsSync(real.home.paths.socket)).toBe(false);
    const owner = tryOwn(real.home.paths.home);
    expect(owner).not.toBeNull();
    owner?.release();
  },
  60_000,
);

test("on demand it leaves when nobody has needed it for long", async () => {
  writeFileSync(real.home.paths.config, JSON.stringify({ idle_shutdown_ms: 1_500 }));
  const daemon = await real.startDaemon(["--on-demand"]);
  await once(daemon, "exit");
  expect(daemon.exitCode).toBe(0);
  expect(readFileSync(real.home.paths.log, "utf8")).toContain('"reason":"idle"');
}, 60_000);

test("a database that a newer agtmux wrote is refused with its own error, through the command that wanted a daemon", async () => {
  const Database = (await import("better-sqlite3")).default;
  await real.end(await real.startDaemon([]), "SIGTERM");
  const database = new Database(real.home.paths.stateDb);
  const version = Number(database.pragma("user_version", { simple: true }));
  database.pragma(`user_version = ${version + 1000}`);
  database.close();
  const { code, stderr } = await real.home.run(["list", "panes"], real.env);
  expect(stderr).toContain("[E_DATABASE_NEWER]");
  expect(code).toBe(12);
}, 60_000);

test("watch survives a kill -9 of the real daemon", async () => {
  const daemon = await real.startDaemon([]);
  const watching = real.home.start(["watch", "--format", "jsonl", "--all"], real.env);
  await vi.waitFor(() => expect(watching.stdout()).toContain('"snapshot"'), { timeout: 10_000 });
  await real.end(daemon, "SIGKILL");
  await vi.waitFor(async () => expect((await real.home.run(["daemon", "status"])).code).toBe(0), {
    timeout: 20_000,
    interval: 100,
  });
  expect(watching.child.exitCode).toBeNull();
  watching.child.kill("SIGINT");
  expect((await watching.finished).code).toBe(130);
}, 60_000);

test("the launcher finds its installation through symbolic links", async () => {
  const { symlinkSync } = await import("node:fs");
  const link = join(dirname(real.home.paths.home), "agtmux-link");
  symlinkSync(join(BIN, "agtmux"), link);
  const child = spawn(link, ["--version"], {
    env: { ...process.env, ...real.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(child.stdout, "data");
  expect(String(said)).toMatch(/^\d+\.\d+\.\d+\n$/);
}, 30_000);

test("the launcher says in one sentence when no Node is new enough", async () => {
  const { cpSync, mkdirSync, chmodSync } = await import("node:fs");
  // A copy without node_modules, and a PATH with an old node.
  const root = join(dirname(real.home.paths.home), "copy");
  mkdirSync(join(root, "bin"), { recursive: true });
  for (const file of ["agtmux", "findNode.sh"]) cpSync(join(BIN, file), join(root, "bin", file));
  const old = join(root, "old");
  mkdirSync(old);
  writeFileSync(join(old, "node"), "#!/bin/sh\necho v20.1.0\n");
  chmodSync(join(old, "node"), 0o755);
  const child = spawn(join(root, "bin", "agtmux"), ["list"], {
    env: { PATH: `${old}:/usr/bin:/bin` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  await once(child, "close");
  expect([child.exitCode, stderr]).toEqual([
    1,
    "agtmux: Node 24 or newer is needed (found v20.1.0). Install it from https://nodejs.org and try again.\n",
  ]);
}, 30_000);

// What runs outside of vitest: the daemon needs nothing but Node (it starts from its sources in a home of its own, answers, and leaves
// when asked), and no program that package.json names loads vitest.
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROTOCOL_VERSION } from "../../core/api/service.ts";
import { runtimePaths } from "../../core/rpc/paths.ts";
import { connectSocket } from "../../core/rpc/socketClient.ts";
import { spawnDaemon } from "../harness/daemonProcess.ts";
import { readOne, ROOT } from "./sources.ts";

it("completes a hello from source under plain Node", async () => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-node-"));
  const home = join(root, "a");
  await mkdir(join(root, "home"));
  const daemon = await spawnDaemon({
    home,
    env: { HOME: join(root, "home"), TMUX_TMPDIR: root, AGTMUX_TMUX_SOCKETS: join(root, "no-server") },
  });
  try {
    const client = await connectSocket({
      paths: runtimePaths(home),
      version: "test",
      checkVersion: false,
      helloTimeoutMs: 5_000,
    });
    const { hello } = client;
    const list = await client.call((api) => api.adapters.query());
    client.close();
    expect(hello).toMatchObject({
      name: "agtmux",
      protocol: PROTOCOL_VERSION,
      host: "headless",
      pid: daemon.pid,
    });
    expect(list.problems).toEqual([]);
    expect(list.items.length).toBeGreaterThan(1);
  } finally {
    await daemon.stop();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** How `path` comes to vitest, which cannot be loaded by a program of its own; null: not at all. */
const wayToVitest = (path: string, seen = new Set<string>()): string[] | null => {
  seen.add(path);
  for (const { to, isType } of readOne(path).imports) {
    if (isType) continue;
    if (to === "vitest") return [path];
    if (seen.has(to) || !/\.tsx?$/.test(to) || !existsSync(join(ROOT, to))) continue;
    const way = wayToVitest(to, seen);
    if (way !== null) return [path, ...way];
  }
  return null;
};

it("loads vitest in no program that package.json starts", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const programs = Object.values(scripts).flatMap((line) =>
    [...line.matchAll(/(?<=^| )[\w/]+\.ts(?= |$)/g)]
      .map(([path]) => path)
      .filter((path) => existsSync(join(ROOT, path))),
  );
  expect(programs).toContain("bench/popover.ts");
  const loads = programs.flatMap((path) => wayToVitest(path)?.join(" → ") ?? []);
  expect(loads, "move what they need into a file without vitest").toEqual([]);
  expect(wayToVitest("e2e/launchers/workerBrowser.ts")).toEqual(["e2e/launchers/workerBrowser.ts"]);
});

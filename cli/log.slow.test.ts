import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";

let home: FakeHome;
const line = (level: number, msg: string, time = Date.parse("2026-11-22T10:00:00Z"), more = {}): string =>
  `${JSON.stringify({ level, time, ...more, msg })}\n`;

beforeEach(() => {
  home = makeFakeHome();
  mkdirSync(dirname(home.paths.log), { recursive: true });
});
afterEach(() => home.close());

it("shows the newest lines of both files, from a level on, without a daemon", async () => {
  writeFileSync(`${home.paths.log}.1`, line(50, "older"));
  writeFileSync(
    home.paths.log,
    `${line(20, "detail")}${line(30, "\u001B[2Jruns", undefined, { pid: 7 })}${line(40, "slow")}no json\nnull\n{"time":1e300}\n{"level":50,"ti`,
  );
  expect((await home.run(["log"])).stdout).toBe(
    "2026-11-22 10:00:00 error older\n2026-11-22 10:00:00 info  runs pid=7\n2026-11-22 10:00:00 warn  slow\n",
  );
  expect((await home.run(["log", "--level", "warn", "--lines", "1"])).stdout).toBe(
    "2026-11-22 10:00:00 warn  slow\n",
  );
  expect((await home.run(["log", "--level", "warn", "--raw"])).stdout).toBe(
    `${line(50, "older")}${line(40, "slow")}`,
  );
  expect((await home.run(["log", "--since", "2026-11-23"])).stderr).toContain("No line of");
  expect((await home.run(["log", "--level", "loud"])).code).toBe(2);
});

it("says that there is no log yet", async () => {
  expect(await home.run(["log"])).toMatchObject({ code: 0, stdout: "" });
});

it("follows the log, also when it is begun again", async () => {
  writeFileSync(home.paths.log, line(30, "one"));
  const running = home.start(["log", "--follow"]);
  const shows = (text: string) =>
    vi.waitFor(() => expect(running.stdout()).toContain(text), { timeout: 15_000, interval: 50 });
  await shows("one");
  appendFileSync(home.paths.log, line(30, "two"));
  await shows("two");
  renameSync(home.paths.log, `${home.paths.log}.1`);
  writeFileSync(home.paths.log, line(30, "3"));
  await shows(" 3\n");
  expect(running.stdout().match(/one|two/g)).toHaveLength(2);
  running.child.kill("SIGINT");
  await running.finished;
});

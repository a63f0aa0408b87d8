// When it is asked for a newer release, and what surfaces are told of what comes.
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Diagnosis } from "../../core/model/doctor.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createReleases } from "./releases.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 29, 12);

let home: string;
let now: number;
let settings: { check: boolean; address: string | null };
let timers: { at: number; callback: () => void }[];
let told: (string | null)[];
let asked: number;
let newest: string;
let address: string;
let close: () => void;
let onConfig: () => void;
let running: ReturnType<ReturnType<typeof createReleases>["start"]>;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "agtmux-r-"));
  [now, timers, told, asked, newest] = [START, [], [], 0, "1.1.0"];
  const server = createServer((_request, response) => {
    asked += 1;
    response.end(`${"a".repeat(64)}  agtmux-${newest}-linux-x64.tar.gz\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases`;
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  settings = { check: true, address };
});
afterEach(async () => {
  await running.close();
  close();
  await rm(home, { recursive: true, force: true });
});

const start = (releases: string | null = null): void => {
  const context = {
    config: () => ({ releases: settings }),
    onConfigChange: (listener: () => void) => {
      onConfig = listener;
      return () => {};
    },
    setNewerRelease: (version: string | null) => told.push(version),
    homePath: home,
    clock: {
      now: () => now,
      setTimer: (delayMs: number, callback: () => void) => {
        const timer = { at: now + delayMs, callback };
        timers.push(timer);
        return () => {
          timers = timers.filter((one) => one !== timer);
        };
      },
    },
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  running = createReleases({ version: "1.0.0", releases }).start(context);
};

/** Lets so much time pass; each look has ended when it returns. */
const pass = async (ms: number): Promise<void> => {
  const until = now + ms;
  for (;;) {
    const next = timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
    if (next === undefined) break;
    timers = timers.filter((one) => one !== next);
    now = Math.max(now, next.at);
    const looks = told.length;
    next.callback();
    while (told.length === looks) await new Promise((done) => setTimeout(done, 1));
    await new Promise((done) => setImmediate(done));
  }
  now = until;
};
const doctorSays = async (): Promise<string> => {
  const found = (await running.doctorChecks()[0]?.run()) as Diagnosis;
  return `${found.status}: ${found.summary}`;
};

it("asks nobody while it is off", async () => {
  settings.check = false;
  start(address);
  await pass(72 * HOUR);
  expect([asked, told, timers]).toEqual([0, [], []]);
  expect(await doctorSays()).toBe("skipped: Nobody looks for newer releases: releases.check is off.");
});

it("asks once a day, however often the daemon starts, and says what is newer", async () => {
  start();
  await pass(10 * HOUR);
  expect([asked, new Set(told)]).toEqual([1, new Set(["1.1.0"])]);
  expect(await doctorSays()).toBe("warning: agtmux 1.1.0 is there; this is 1.0.0.");
  for (let restarts = 0; restarts < 5; restarts += 1) {
    await running.close();
    timers = [];
    start();
    await pass(2 * HOUR);
  }
  expect([asked, told.at(-1)]).toEqual([1, "1.1.0"]);
  await pass(20 * HOUR);
  expect(asked).toBe(2);
  expect(statSync(join(home, "releases.json")).mode & 0o777).toBe(0o600);
});

it("is switched on and off while it runs", async () => {
  settings.check = false;
  start();
  settings = { check: true, address };
  onConfig();
  await pass(HOUR);
  expect([asked, told.at(-1)]).toEqual([1, "1.1.0"]);
  settings = { check: false, address };
  onConfig();
  await pass(HOUR);
  expect([asked, told.at(-1), timers]).toEqual([1, null, []]);
});

it("says nothing of a release that is not newer", async () => {
  newest = "1.0.0";
  start();
  await pass(HOUR);
  expect([asked, new Set(told)]).toEqual([1, new Set([null])]);
  expect(await doctorSays()).toBe("ok: agtmux 1.0.0 is the newest release.");
});

it("is not asked again before a day has passed where nothing could be found out", async () => {
  close();
  start();
  await pass(20 * HOUR);
  expect(told.at(-1)).toBeNull();
  expect(await doctorSays()).toBe("warning: It is not known whether there is a newer release.");
  const { asked_at: at } = JSON.parse(readFileSync(join(home, "releases.json"), "utf8")) as {
    asked_at: number;
  };
  expect(at).toBeLessThan(START + HOUR);
});

it("without an address asks nobody, and says so", async () => {
  settings.address = null;
  start();
  await pass(30 * HOUR);
  expect([asked, new Set(told)]).toEqual([0, new Set([null])]);
  expect(await doctorSays()).toBe("warning: This installation does not know where its releases are.");
});

it("survives what lies in the place of its file", async () => {
  for (const text of [
    "",
    "{",
    '{"asked_at":"x"}',
    '{"asked_at":9e15,"newest":"9.9.9","problem":null}',
    "[]",
  ]) {
    writeFileSync(join(home, "releases.json"), text);
    const before = asked;
    start();
    await pass(HOUR);
    await running.close();
    timers = [];
    expect([text, asked, told.at(-1)]).toEqual([text, before + 1, "1.1.0"]);
  }
  // Nothing is written through a link.
  writeFileSync(join(home, "theirs"), "mine");
  await rm(join(home, "releases.json"));
  symlinkSync(join(home, "theirs"), join(home, "releases.json"));
  symlinkSync(join(home, "theirs"), join(home, "releases.json.tmp"));
  start();
  await pass(HOUR);
  expect(readFileSync(join(home, "theirs"), "utf8")).toBe("mine");
});

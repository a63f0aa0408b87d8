// What somebody may put into the spool in the place of an event: links, pipes, devices, sockets, other users' files, huge
// ones, and files that become something else while they are read. None is followed, none is waited for, and what they
// point at is neither read into anything nor changed.
import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSpoolDrain, type SpoolDrain } from "../../core/collect/spoolDrain.ts";
import type { Envelope } from "../../core/model/envelope.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { realClock, until } from "../setup/realClock.ts";
import { isRoot, NOBODY } from "./otherUser.ts";

const event = (name: string, payload = "{}") => `agtmux-event 1\nagent=claude\nevent=${name}\n\n${payload}`;
const PRECIOUS = event("Stop", '{"from":"elsewhere"}');

let root: string;
let spool: string;
let elsewhere: string;
let taken: Envelope[];
let drain: SpoolDrain;
let close: () => void;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-sp-"));
  spool = join(root, "spool");
  for (const folder of ["new", "tmp", "bad"])
    mkdirSync(join(spool, folder), { recursive: true, mode: 0o700 });
  elsewhere = join(root, "elsewhere");
  writeFileSync(elsewhere, PRECIOUS);
  taken = [];
  close = () => {};
  drain = createSpoolDrain({
    spoolDir: spool,
    onBatch: (envelopes) => void taken.push(...envelopes),
    redact: (text) => text,
    logger: SILENT_LOGGER,
    clock: realClock,
    sweepMs: 50,
  });
});
afterEach(async () => {
  close();
  await drain.close();
  rmSync(root, { recursive: true, force: true });
});

const names = () => taken.map(({ eventName }) => eventName);
const ODD: [string, (path: string) => void][] = [
  ["a link to an event elsewhere", (path) => symlinkSync(elsewhere, path)],
  ["a link to nothing", (path) => symlinkSync(join(root, "none"), path)],
  ["a link to a device that never ends", (path) => symlinkSync("/dev/zero", path)],
  ["a link to a folder", (path) => symlinkSync(root, path)],
  ["a FIFO", (path) => void execFileSync("mkfifo", [path])],
  ["a folder with an event in it", (path) => (mkdirSync(path), writeFileSync(join(path, "x"), PRECIOUS))],
  [
    "a socket",
    (path) => {
      const server = createServer().listen(path);
      close = () => server.close();
    },
  ],
  [
    "a file of 100 GB without an event",
    (path) => (writeFileSync(path, ""), truncateSync(path, 100 * 2 ** 30)),
  ],
];
it.each(ODD)("%s is set aside, and the events around it come", async (_what, make) => {
  writeFileSync(join(spool, "new", "0-before"), event("UserPromptSubmit"));
  make(join(spool, "new", "1-odd"));
  writeFileSync(join(spool, "new", "2-after"), event("PreToolUse"));
  await drain.start();
  await until(() => readdirSync(join(spool, "new")).length === 0, "nothing is left");
  expect(new Set(names())).toEqual(new Set(["PreToolUse", "UserPromptSubmit"]));
  expect(drain.rejectedCount).toBe(1);
  expect(readFileSync(elsewhere, "utf8")).toBe(PRECIOUS);
  expect(existsSync("/dev/zero")).toBe(true);
});

it("an event of 100 GB counts by its name, and its payload is not read", async () => {
  const path = join(spool, "new", "huge");
  writeFileSync(path, event("Stop"));
  truncateSync(path, 100 * 2 ** 30);
  await drain.start();
  await until(() => names().length === 1, "it counts");
  expect(taken[0]).toMatchObject({ eventName: "Stop", payload: null, payloadProblem: "too_large" });
});

it.runIf(isRoot)("a file of another user is no event, whatever it says", async () => {
  const path = join(spool, "new", "foreign");
  writeFileSync(path, event("Stop"));
  chownSync(path, NOBODY, NOBODY);
  await drain.start();
  await until(() => drain.rejectedCount === 1, "it is set aside");
  expect(names()).toEqual([]);
});

it("a second name of a file elsewhere costs that file nothing but the name", async () => {
  linkSync(elsewhere, join(spool, "new", "hard"));
  await drain.start();
  await until(() => readdirSync(join(spool, "new")).length === 0, "the name is gone");
  expect([readFileSync(elsewhere, "utf8"), statSync(elsewhere).nlink]).toEqual([PRECIOUS, 1]);
});

it("a name that is a file and a link by turns never leads elsewhere", async () => {
  await drain.start();
  for (let round = 0; round < 300; round++) {
    const path = join(spool, "new", "turns");
    writeFileSync(join(spool, "tmp", "file"), event("UserPromptSubmit"));
    symlinkSync(elsewhere, join(spool, "tmp", "link"));
    renameSync(join(spool, "tmp", "file"), path);
    // Lets the drain come in between, at a moment of its own.
    if (round % 3 === 0) await new Promise((next) => setImmediate(next));
    renameSync(join(spool, "tmp", "link"), path);
    if (round % 5 === 0) await new Promise((next) => setImmediate(next));
  }
  writeFileSync(join(spool, "new", "last"), event("PreToolUse"));
  await until(() => names().includes("PreToolUse"), "the last one");
  await until(() => readdirSync(join(spool, "new")).length === 0, "nothing is left");
  expect(names().filter((name) => name === "Stop")).toEqual([]);
  expect(readFileSync(elsewhere, "utf8")).toBe(PRECIOUS);
});

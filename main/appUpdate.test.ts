// The app's own update with the real electron-updater: what it asks and when, and feeds that mean no good. Squirrel.Mac is played here.
import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { registerHooks } from "node:module";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AutoUpdater } from "electron";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import { partOf } from "../test/fakes/partOf.ts";
import { until } from "../test/setup/realClock.ts";
import { AppUpdate, askAboutUpdate, isReplaceable } from "./appUpdate.ts";
import { readPrefs, type Prefs } from "./readPrefs.ts";

const ZIP = Buffer.from("PK the next app");
const DAY_MS = 24 * 3_600_000;

/** Fetches what electron-updater serves it, and takes it if it may. */
class Squirrel extends EventEmitter {
  installed = 0;
  taken: Buffer | null = null;
  problem: string | null = null;
  private feed: { url: string; headers?: Record<string, string> } = { url: "" };
  setFeedURL(feed: { url: string; headers?: Record<string, string> }): void {
    this.feed = feed;
  }
  checkForUpdates(): void {
    void this.take();
  }
  quitAndInstall(): void {
    this.installed += 1;
  }
  private async take(): Promise<void> {
    const answer = await fetch(this.feed.url, { headers: this.feed.headers ?? {} });
    const { url } = (await answer.json()) as { url: string };
    const got = Buffer.from(await (await fetch(url)).arrayBuffer());
    if (this.problem !== null) this.emit("error", new Error(this.problem));
    else {
      this.taken = got;
      this.emit("update-downloaded");
    }
  }
}

const REAL_PLATFORM = process.platform;
let folder: string;
let hooks: ReturnType<typeof registerHooks>;
let native: Squirrel;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-update-"));
  const electron = join(folder, "electron.cjs");
  writeFileSync(electron, "module.exports = globalThis.playedElectron;");
  writeFileSync(join(folder, "app-update.yml"), "updaterCacheDirName: agtmux-updater\n");
  Object.assign(process, { resourcesPath: folder });
  hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "electron"
        ? { url: pathToFileURL(electron).href, shortCircuit: true }
        : next(specifier, context),
  });
  Object.assign(globalThis, {
    playedElectron: {
      get autoUpdater() {
        return native;
      },
      app: {
        isPackaged: true,
        getVersion: () => "1.0.0",
        getName: () => "agtmux",
        getPath: () => folder,
        whenReady: () => Promise.resolve(),
      },
    },
  });
});
afterAll(async () => {
  hooks.deregister();
  Reflect.deleteProperty(process, "resourcesPath");
  Reflect.deleteProperty(globalThis, "playedElectron");
  await rm(folder, { recursive: true, force: true });
});

// The feed.

const OTHER_ARCH = process.arch === "x64" ? "arm64" : "x64";
const nameOf = (version: string, arch: string = process.arch): string => `agtmux-${version}-mac-${arch}.zip`;
/** As electron-builder writes it for two architectures. */
const feedOf = (version: string, file: object = {}, more = ""): string => {
  const sha512 = createHash("sha512").update(ZIP).digest("base64");
  const files = [
    { url: nameOf(version), sha512, size: ZIP.length, ...file },
    { url: nameOf(version, OTHER_ARCH), sha512, size: ZIP.length },
  ];
  return [
    `version: ${version}`,
    `files:`,
    ...files.map((one) => `  - ${JSON.stringify(one)}`),
    `path: ${nameOf(version)}`,
    `sha512: ${sha512}`,
    `releaseDate: '2026-11-29T12:00:00.000Z'`,
    more,
  ].join("\n");
};

let answers: Record<string, string | Buffer | ((request: IncomingMessage, response: ServerResponse) => void)>;
let asked: string[];
let sent: IncomingMessage["headers"][];
let server: ReturnType<typeof createServer>;
let address: string | null;
let prefs: Prefs;
let now: number;
let isQuiet: boolean;
let choices: ("update" | "later" | "skip")[];
let questions: string[];
let said: string[];
let update: AppUpdate;
beforeEach(async () => {
  Object.defineProperty(process, "platform", { value: "darwin" });
  native = new Squirrel();
  [asked, sent, questions, said, choices] = [[], [], [], [], ["update"]];
  answers = { "latest-mac.yml": feedOf("1.1.0"), [nameOf("1.1.0")]: ZIP };
  prefs = readPrefs({}, "darwin");
  [now, isQuiet] = [Date.UTC(2026, 10, 29), true];
  server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://x").pathname.replace("/releases/latest/download/", "");
    asked.push(name);
    sent.push(request.headers);
    const answer = answers[name];
    if (typeof answer === "function") answer(request, response);
    else response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases`;
  make("1.0.0");
});
afterEach(async () => {
  update.close();
  Object.defineProperty(process, "platform", { value: REAL_PLATFORM });
  await rm(join(homedir(), "Library", "Caches", "agtmux-updater"), { recursive: true, force: true });
  server.closeAllConnections();
  server.close();
});

const make = (version: string): void => {
  update = new AppUpdate({
    version,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what electron-updater uses of it
    native: native as unknown as AutoUpdater,
    prefs: { read: () => prefs, write: (change) => (prefs = { ...prefs, ...change }) },
    address: () => Promise.resolve(address),
    isQuiet: () => Promise.resolve(isQuiet),
    ask: (asking) => {
      questions.push(asking);
      return Promise.resolve(choices.shift() ?? "later");
    },
    say: (sentence) => said.push(sentence),
    now: () => now,
    logger: SILENT_LOGGER,
  });
};

const someTime = (): Promise<void> => new Promise((done) => setTimeout(done, 20));
const outcome = (): Promise<unknown> => until(() => said.length + native.installed > 0, "an outcome");

it("replaces the app after a yes, with a feed that learns nothing of this machine", async () => {
  update.consider("1.1.0");
  await outcome();
  expect([questions, said, native.installed]).toEqual([["1.1.0"], [], 1]);
  expect(asked).toEqual(["latest-mac.yml", nameOf("1.1.0")]);
  expect(native.taken).toEqual(ZIP);
  for (const headers of sent) {
    expect(headers["user-agent"]).toBe("agtmux");
    expect(headers).not.toHaveProperty("x-user-staging-id");
  }
});

describe("asking", () => {
  it("does not happen, and no feed is asked, where there is nothing newer that was wanted", async () => {
    for (const version of [null, "1.0.0", "0.9.0", "1.1.0-beta.1", "1.1.0\u001b[2J", "not one"])
      update.consider(version);
    prefs = { ...prefs, skippedVersion: "1.1.0" };
    update.consider("1.1.0");
    await someTime();
    expect([questions, asked]).toEqual([[], []]);
  });

  it("comes again tomorrow after 'later', never after 'skip', but for the next version", async () => {
    choices = ["later", "skip", "later"];
    for (let changes = 0; changes < 5; changes += 1) {
      update.consider("1.1.0");
      await someTime();
    }
    expect(questions).toEqual(["1.1.0"]);
    now += DAY_MS;
    update.consider("1.1.0");
    await someTime();
    now += DAY_MS;
    update.consider("1.1.0");
    await someTime();
    expect(questions).toEqual(["1.1.0", "1.1.0"]);
    update.consider("1.2.0");
    await someTime();
    expect([questions, asked]).toEqual([["1.1.0", "1.1.0", "1.2.0"], []]);
  });

  it("waits until nothing is under way, and is left out if it is switched off meanwhile", async () => {
    isQuiet = false;
    update.consider("1.1.0");
    await someTime();
    update.consider(null);
    isQuiet = true;
    await new Promise((done) => setTimeout(done, 400));
    expect([questions, asked]).toEqual([[], []]);
  });

  it("offers Later first, which is also what closing it means", async () => {
    const shown: unknown[] = [];
    const dialog = (response: number) =>
      partOf<{ showMessageBox: Parameters<typeof askAboutUpdate>[0]["showMessageBox"] }>({
        showMessageBox: (options: unknown) => {
          shown.push(options);
          return Promise.resolve({ response, checkboxChecked: false });
        },
      });
    const answersOf = [0, 1, 2, -1].map((response) => askAboutUpdate(dialog(response), "1.0.0")("1.1.0"));
    expect(await Promise.all(answersOf)).toEqual(["update", "later", "skip", "later"]);
    expect(shown[0]).toMatchObject({
      buttons: ["Update", "Later", "Skip this version"],
      defaultId: 1,
      cancelId: 1,
    });
  });

  it("is repeated where the feed has another newer version than the one that was asked about", async () => {
    answers = { "latest-mac.yml": feedOf("1.2.0"), [nameOf("1.2.0")]: ZIP };
    choices = ["update", "later"];
    update.consider("1.1.0");
    await until(() => questions.length === 2, "the second question");
    await someTime();
    expect([questions, asked, native.installed, said]).toEqual([
      ["1.1.0", "1.2.0"],
      ["latest-mac.yml"],
      0,
      [],
    ]);
  });
});

it("never ends the app while something is under way, however long that takes", async () => {
  answers[nameOf("1.1.0")] = (_request, response) => {
    isQuiet = false;
    response.end(ZIP);
  };
  update.consider("1.1.0");
  await until(() => native.taken !== null, "the update is ready");
  await new Promise((done) => setTimeout(done, 600));
  expect(native.installed).toBe(0);
  isQuiet = true;
  await outcome();
  expect(native.installed).toBe(1);
});

it("takes a prerelease, from its own channel, only into a prerelease", async () => {
  make("1.0.0-beta.1");
  Object.assign(Reflect.get(globalThis, "playedElectron").app, { getVersion: () => "1.0.0-beta.1" });
  answers = { "beta-mac.yml": feedOf("1.0.0-beta.2"), [nameOf("1.0.0-beta.2")]: ZIP };
  update.consider("1.0.0-beta.2");
  await outcome();
  Object.assign(Reflect.get(globalThis, "playedElectron").app, { getVersion: () => "1.0.0" });
  expect([said, native.installed, asked[0]]).toEqual([[], 1, "beta-mac.yml"]);
});

describe("a feed that means no good", () => {
  const hash = (text: string) => createHash("sha512").update(text).digest("base64");
  it.each<[string, () => void, string]>([
    ["is missing", () => (answers = {}), "answered 404"],
    ["is no YAML", () => (answers["latest-mac.yml"] = "{ : ["), "cannot be read"],
    ["is a page", () => (answers["latest-mac.yml"] = "<html></html>"), ""],
    ["is huge", () => (answers["latest-mac.yml"] = Buffer.alloc(1 << 20, "#")), "larger than 65536"],
    ["is older than this app", () => (answers["latest-mac.yml"] = feedOf("0.9.0")), "not newer"],
    ["is this app", () => (answers["latest-mac.yml"] = feedOf("1.0.0")), "not newer"],
    ["has a prerelease", () => (answers["latest-mac.yml"] = feedOf("1.1.0-beta.1")), "not newer"],
    [
      "names a path",
      () => (answers["latest-mac.yml"] = feedOf("1.1.0", { url: `../${nameOf("1.1.0")}` })),
      "none of a release",
    ],
    [
      "names a path out of the cache",
      () => (answers["latest-mac.yml"] = feedOf("1.1.0", { url: "x/%2e%2e%2fevil.zip" })),
      "none of a release",
    ],
    [
      "names another host",
      () => (answers["latest-mac.yml"] = feedOf("1.1.0", { url: "https://evil.example/a.zip" })),
      "none of a release",
    ],
    [
      "names the file of another version",
      () => (answers["latest-mac.yml"] = feedOf("1.1.0", { url: nameOf("1.0.0") })),
      "none of a release",
    ],
    [
      "has no hash",
      () => (answers["latest-mac.yml"] = feedOf("1.1.0", { sha512: "" })),
      "not what it should be",
    ],
    [
      "has packages",
      () => (answers["latest-mac.yml"] = feedOf("1.1.0", {}, "packages: { x64: { path: ../x } }")),
      "not what it should be",
    ],
    [
      "promises a file that is too large",
      () => (answers["latest-mac.yml"] = feedOf("1.1.0", { size: 1e12 })),
      "not what it should be",
    ],
    [
      "has another file than it promises",
      () => (answers["latest-mac.yml"] = feedOf("1.1.0", { sha512: hash("other") })),
      "does not fit",
    ],
    [
      "promises more than comes",
      () => (answers["latest-mac.yml"] = feedOf("1.1.0", { size: 100 })),
      "does not fit",
    ],
    [
      "sends more than it promises",
      () => (answers[nameOf("1.1.0")] = Buffer.alloc(1 << 20)),
      `larger than ${ZIP.length}`,
    ],
    [
      "sends without end",
      () =>
        (answers[nameOf("1.1.0")] = (_request, response) => {
          const more = (): void => void (response.write("x".repeat(1_000)) || response.once("drain", more));
          for (let times = 0; times < 10; times += 1) more();
        }),
      `larger than ${ZIP.length}`,
    ],
    [
      "leads to an address that isn't encrypted",
      () =>
        (answers[nameOf("1.1.0")] = (_request, response) =>
          response.writeHead(302, { location: "http://example.org/a.zip" }).end()),
      "isn't encrypted",
    ],
    [
      "leads there with the feed itself",
      () =>
        (answers["latest-mac.yml"] = (_request, response) =>
          response.writeHead(302, { location: "http://example.org/" }).end()),
      "isn't encrypted",
    ],
    [
      "ends in the middle",
      () =>
        (answers[nameOf("1.1.0")] = (_request, response) => {
          response.writeHead(200, { "content-length": ZIP.length });
          response.write("PK");
          response.destroy();
        }),
      "cannot be fetched",
    ],
    [
      "has an address that isn't encrypted",
      () => (address = "http://example.org/releases"),
      "cannot be used",
    ],
    ["has no address", () => (address = null), "does not know where"],
  ])("%s: nothing is installed, and that is said once", async (_what, prepare, why) => {
    prepare();
    update.consider("1.1.0");
    await outcome();
    update.consider("1.1.0");
    await someTime();
    expect(said).toEqual([expect.stringContaining(why)]);
    expect(said[0]).toMatch(/^agtmux was not updated: .{1,300}\.$/);
    expect([native.installed, native.taken]).toEqual([0, null]);
    expect(existsSync(join(folder, "evil.zip"))).toBe(false);
  });

  it("changes with every question: it is not followed for ever", async () => {
    let minor = 1;
    answers["latest-mac.yml"] = (_request, response) => response.end(feedOf(`1.${(minor += 1)}.0`));
    choices = ["update", "update", "update", "update"];
    update.consider("1.1.0");
    await outcome();
    expect([questions.length, native.installed]).toEqual([3, 0]);
  });
});

it.each([
  ["Could not get code signature for running application", "the developer who signed this app"],
  [
    "Code signature at URL file:///x/agtmux.app/ did not pass validation: code failed to satisfy specified code requirement(s)",
    "the developer who signed this app",
  ],
  ["Cannot update while running on a read-only volume.", "move it to Applications"],
  ["something else", "could not be put in the place of this one"],
])("says what macOS has against it: %s", async (problem, why) => {
  native.problem = problem;
  update.consider("1.1.0");
  await outcome();
  expect([said, native.installed]).toEqual([[expect.stringContaining(why)], 0]);
});

it("is off where something else replaces the app", () => {
  const mac = { platform: "darwin", isPackaged: true } as const;
  const nothing = () => false;
  expect(isReplaceable(mac, nothing)).toBe(true);
  expect(isReplaceable({ ...mac, isPackaged: false }, nothing)).toBe(false);
  expect(isReplaceable({ ...mac, platform: "linux" }, nothing)).toBe(false);
  expect(isReplaceable(mac, (path) => path === "/opt/homebrew/Caskroom/agtmux-app")).toBe(false);
  expect(isReplaceable(mac, (path) => path === "/usr/local/Caskroom/agtmux-app")).toBe(false);
});

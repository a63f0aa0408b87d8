// The app's own update, whole: the built app with the real electron-updater on the stand-in, which plays Squirrel.Mac and is taken for
// a packaged app on macOS; a loopback address has the releases.
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeTarget } from "../../test/factories/view.ts";
import { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";
import { createPrivateTmux } from "../../test/harness/privateTmux.ts";
import { createPlayer } from "../../test/player/player.ts";
import { launchStandIn, type StandIn } from "../launchers/standIn.ts";
import { takeChromium } from "../launchers/workerBrowser.ts";
import { askApp } from "./desktopHarness.ts";
import { openFakeHome } from "./fakeHome.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RECORDINGS = join(ROOT, "test", "fixtures", "recordings", "claude");
const NEXT = "9.9.9";
const APP = "signed by the maintainers\nthe next app";
const FILE = `agtmux-${NEXT}-mac-${process.arch}.zip`;

let browser: Browser;
let folder: string;
let server: Server;
let address: string;
let asked: string[];
/** The file of the app comes only after this. */
let mayCome: Promise<void>;
const closers: (() => Promise<void> | void)[] = [];
takeChromium((given) => (browser = given));
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-u-"));
  mkdirSync(join(folder, "resources"));
  // As electron-builder writes it.
  writeFileSync(join(folder, "resources", "app-update.yml"), "updaterCacheDirName: agtmux-updater\n");
  [asked, mayCome] = [[], Promise.resolve()];
  const sha512 = createHash("sha512").update(APP).digest("base64");
  const answers: Record<string, string> = {
    SHA256SUMS: `${"a".repeat(64)}  agtmux-${NEXT}-linux-x64.tar.gz\n`,
    "latest-mac.yml": `version: ${NEXT}\nfiles:\n  - url: ${FILE}\n    sha512: ${sha512}\n    size: ${APP.length}\n`,
    [FILE]: APP,
  };
  server = createServer((request, response) => {
    const name = (request.url ?? "").replace("/releases/latest/download/", "");
    asked.push(name);
    void (name === FILE ? mayCome : Promise.resolve()).then(() => response.end(answers[name]));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases`;
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

const launch = async (home: string, env: Record<string, string>, signer?: string): Promise<StandIn> => {
  const app = await launchStandIn({
    home,
    browser,
    dataDir: join(folder, "data"),
    platform: "darwin",
    entry: join(ROOT, "dist", "main", "index.js"),
    env: {
      ...env,
      AGTMUX_STAND_IN_PACKAGED: "1",
      AGTMUX_STAND_IN_RESOURCES: join(folder, "resources"),
      ...(signer === undefined ? {} : { AGTMUX_STAND_IN_SIGNER: signer }),
    },
  });
  closers.push(() => app.close());
  return app;
};

const switchOn = async ({ page }: StandIn): Promise<void> => {
  await askApp(page, "mutation", "configSet", { key: "releases.address", value: address });
  await askApp(page, "mutation", "configSet", { key: "releases.check", value: true });
};
const isAsked = (app: StandIn) => (): boolean =>
  app.messages.list().some((text) => text.startsWith(`agtmux ${NEXT} is there`));
const toggle = async (app: StandIn, isOpen: boolean): Promise<void> => {
  app.tray.click();
  await app.until(() => app.isVisible() === isOpen, isOpen ? "the popover opens" : "the popover closes");
};
const installed = (): string | null => {
  const file = join(folder, "data", "installed");
  return existsSync(file) ? readFileSync(file, "utf8") : null;
};
const someTime = (): Promise<void> => new Promise((done) => setTimeout(done, 1_500));
const PRESS_UPDATE = 0;

it("asks, waits until the popover is closed, is replaced, and loses no event of an agent meanwhile", async () => {
  const tmux = createPrivateTmux();
  closers.push(() => tmux.close());
  const home = join(folder, "a");
  const env = { HOME: folder, AGTMUX_TMUX_SOCKETS: tmux.socketPath };
  const player = await createPlayer({
    tmux: { socketArgs: tmux.socketArgs, session: "shop" },
    home: folder,
    recordingsDir: RECORDINGS,
  });
  closers.push(() => player.close());
  const app = await launch(home, env, "the maintainers");
  await askApp(app.page, "mutation", "integrationChange", {
    agent: "claude",
    action: "install",
    dryRun: false,
  });
  await player.frame("idle_fresh");
  await player.event("SessionStart");
  await app.until(() => app.tray.state.tooltip.includes("1 idle"), "the agent is seen");
  // While nobody switched it on, nobody is asked.
  expect([asked, app.messages.list()]).toEqual([[], []]);

  await switchOn(app);
  await app.until(isAsked(app), "it asks");
  expect(asked).toEqual(["SHA256SUMS"]);
  const { promise, resolve } = Promise.withResolvers<void>();
  mayCome = promise;
  app.messages.read(PRESS_UPDATE);
  await expect.poll(() => asked, { timeout: 15_000 }).toEqual(["SHA256SUMS", "latest-mac.yml", FILE]);
  await toggle(app, true);
  resolve();
  await someTime();
  expect([app.isVisible(), installed()]).toEqual([true, null]);
  app.tray.click();
  expect(await app.end()).toBe(0);
  expect(installed()).toBe(APP);

  await player.event("UserPromptSubmit");
  await player.frame("running");
  const waiting = readdirSync(join(home, "spool", "new"));
  expect(waiting.length).toBeGreaterThan(0);
  await app.close();
  const next = await launch(home, env, "the maintainers");
  await next.until(() => next.tray.state.tooltip.includes("1 running"), "the event is taken in");
  expect(readdirSync(join(home, "spool", "new"))).toEqual([]);
  expect(next.messages.list()).toEqual([]);
});

it("does not end while another process's daemon does an action, nor asks", async () => {
  let actions = 1;
  class BusyDaemon extends FakeDaemon {
    override underWay(): { actions: number } {
      return { actions };
    }
    override async configGet() {
      const settings = await super.configGet();
      return { ...settings, values: { ...settings.values, "releases.address": address } };
    }
  }
  const daemon = new BusyDaemon([]);
  const fake = await openFakeHome(daemon);
  closers.push(() => fake.close());
  const app = await launch(fake.home, { HOME: fake.folder }, "the maintainers");
  daemon.setTargets([makeTarget({ newer_release: NEXT })]);
  await app.until(() => app.tray.state.tooltip.includes(NEXT), "the tray says it");
  await someTime();
  expect(app.messages.list()).toEqual([]);
  actions = 0;
  await app.until(isAsked(app), "it asks once nothing is under way");
  actions = 1;
  app.messages.read(PRESS_UPDATE);
  await expect.poll(() => asked, { timeout: 15_000 }).toEqual(["latest-mac.yml", FILE]);
  await someTime();
  expect(installed()).toBe(null);
  actions = 0;
  expect(await app.end()).toBe(0);
  expect(installed()).toBe(APP);
});

it.each([
  ["is signed ad hoc", undefined],
  ["is signed by somebody else", "somebody else"],
])("says once that it cannot be replaced where it %s, and goes on", async (_what, signer) => {
  const daemon = new FakeDaemon([]);
  const fake = await openFakeHome(daemon);
  closers.push(() => fake.close());
  const get = await daemon.configGet();
  daemon.configGet = () =>
    Promise.resolve({ ...get, values: { ...get.values, "releases.address": address } });
  const app = await launch(fake.home, { HOME: fake.folder }, signer);
  daemon.setTargets([makeTarget({ newer_release: NEXT })]);
  await app.until(isAsked(app), "it asks");
  app.messages.read(PRESS_UPDATE);
  const sentence =
    "agtmux was not updated: macOS takes it only if the developer who signed this app signed it, too.";
  await app.until(() => app.tray.state.tooltip.endsWith(sentence), "the tray says why");
  // On macOS, what notifications are for is said before the first one.
  app.messages.read();
  await app.until(() => app.notifications.history().some(({ body }) => body === sentence), "it is told");
  daemon.setTargets([makeTarget({ newer_release: NEXT })]);
  await someTime();
  expect(app.messages.list().filter((text) => text.startsWith(`agtmux ${NEXT}`))).toHaveLength(1);
  expect(app.notifications.history()).toHaveLength(1);
  await toggle(app, true);
  expect(await app.quit()).toBe(0);
  expect(installed()).toBe(null);
});

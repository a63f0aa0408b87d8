// `npm start` where the desktop app is wanted and no Electron is there: Electron's own installer against a mirror on loopback.
// What it downloads is a stand-in; that a real one then runs is for a Mac to show (docs/mac-checklist.md).
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { installElectron } from "../../scripts/installElectron.ts";
import { until } from "../setup/realClock.ts";
import { openStartHarness, type StartHarness } from "./startHarness.ts";

vi.setConfig({ testTimeout: 60_000 });

let harness: StartHarness;
const open = async (platform: "darwin" | "linux"): Promise<void> => {
  harness = await openStartHarness(platform);
};
afterEach(() => harness.close());

const bundle = (): string => join(harness.root, "dist", "development", "agtmux.app");
const started = (): string => `app ${join(bundle(), "Contents", "MacOS", "Electron")} ${harness.root}`;
/** Folders of downloads that nobody took away. */
const leftDownloads = (): string[] =>
  readdirSync(tmpdir()).filter((name) => /^(agtmux-electron|electron-download)-/.test(name));

describe("on a Mac", () => {
  beforeEach(() => open("darwin"));

  it("downloads Electron with its progress shown, gives it a bundle of its own, and starts the app", async () => {
    const { code, stdout, stderr } = await harness.run();
    expect([code, stderr, harness.ran(), harness.requests()]).toEqual([0, "", [started()], 1]);
    expect(stdout).toMatch(
      /^Downloading Electron, once .*…\n(Electron: \d+0 MB…\n)*(Electron: unpacking…\n)?First rows/,
    );
    expect(leftDownloads()).toEqual([]);
  });

  it("the bundle says who it is and why it asks, never naps, and is signed last", async () => {
    await harness.run();
    const calls = harness.tools();
    const copy = join(harness.root, "dist", "development.part", "agtmux.app");
    const list = join(copy, "Contents", "Info.plist");
    expect(calls).toContain(`plutil -replace CFBundleIdentifier -string dev.agtmux.development ${list}`);
    expect(calls).toContain(`plutil -replace CFBundleName -string agtmux ${list}`);
    expect(calls).toContain(`plutil -replace LSUIElement -bool true ${list}`);
    expect(calls).toContain(`plutil -replace NSAppSleepDisabled -bool true ${list}`);
    expect(calls.filter((call) => /UsageDescription -string \S.*\.plist$/.test(call))).toHaveLength(7);
    expect(calls.at(-1)).toBe(`codesign --force --deep --sign - ${copy}`);
    const current = "Contents/Frameworks/Electron Framework.framework/Versions/Current";
    expect(lstatSync(join(bundle(), current)).isSymbolicLink()).toBe(true);
    expect(existsSync(copy)).toBe(false);
  });

  it("neither downloads nor makes a bundle a second time", async () => {
    await harness.run();
    const calls = harness.tools();
    const { stdout } = await harness.run();
    expect([harness.requests(), harness.tools(), harness.ran()]).toEqual([1, calls, [started(), started()]]);
    expect(stdout).toMatch(/^First rows/);
  });

  it("opens the browser, with one line that says why, where nobody answers", async () => {
    await harness.closeMirror();
    const { code, stdout } = await harness.run();
    expect([code, harness.ran()]).toEqual([0, ["browser"]]);
    expect(stdout.split("\n").filter((line) => line.includes("could not be downloaded"))).toEqual([
      "Electron could not be downloaded (fetch failed), so the popover opens in a browser; the next 'npm start' tries again.",
    ]);
    expect(leftDownloads()).toEqual([]);
  });

  it("runs nothing that has another sum than the package says", async () => {
    harness.forgetSum();
    const { stdout } = await harness.run();
    expect(harness.ran()).toEqual(["browser"]);
    expect(stdout).toMatch(/could not be downloaded \(.*checksum.*\), so the popover opens in a browser/i);
    expect(existsSync(join(harness.electron, "dist"))).toBe(false);
  });

  it("recovers from a download that was cut off", async () => {
    harness.serve("cut off");
    const { stdout } = await harness.run();
    expect([harness.ran(), stdout.includes("could not be downloaded")]).toEqual([["browser"], true]);
    harness.serve("whole");
    await harness.run();
    expect(harness.ran()).toEqual(["browser", started()]);
  });

  it("recovers from an end in the middle of unpacking", async () => {
    const half = join(harness.electron, "dist", "Electron.app", "Contents", "MacOS");
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, "Electron"), '#!/bin/sh\necho half >>"$AGTMUX_TEST_LOG"\n', { mode: 0o755 });
    await harness.run();
    expect(harness.ran()).toEqual([started()]);
  });

  it("recovers from an end in the middle of making the bundle", async () => {
    await harness.run();
    rmSync(join(harness.root, "dist", "development", "made-of.json"));
    mkdirSync(join(harness.root, "dist", "development.part", "agtmux.app"), { recursive: true });
    await harness.run();
    expect([harness.ran(), existsSync(join(harness.root, "dist", "development.part"))]).toEqual([
      [started(), started()],
      false,
    ]);
  });

  it("starts Electron's own bundle, and says what that lacks, where signing fails", async () => {
    writeFileSync(join(harness.root, "..", "bin", "codesign"), "#!/bin/sh\nexit 1\n");
    const { stdout } = await harness.run();
    const stock = join(harness.electron, "dist", "Electron.app", "Contents", "MacOS", "Electron");
    expect(harness.ran()).toEqual([`app ${stock} ${harness.root}`]);
    expect(stdout).toMatch(
      /^Without a bundle of its own the app shows no notifications \(.*codesign.*\)\.$/m,
    );
  });

  it("Ctrl-C ends the download and leaves nothing of it", async () => {
    harness.serve("half and then nothing");
    const running = harness.start();
    await until(() => harness.requests() === 1 && leftDownloads().length > 0, "a download");
    running.child.kill("SIGINT");
    await running.finished;
    expect([running.child.signalCode, harness.ran()]).toEqual(["SIGINT", []]);
    expect(leftDownloads()).toEqual([]);
  });

  it("AGTMUX_UI=browser downloads nothing", async () => {
    const { stdout } = await harness.run({ AGTMUX_UI: "browser" });
    expect([harness.requests(), harness.ran()]).toEqual([0, ["browser"]]);
    expect(stdout).toMatch(/^First rows/);
  });

  it("a folder of the person's own without Electron in it is said, and left alone", async () => {
    const { stdout } = await harness.run({ ELECTRON_OVERRIDE_DIST_PATH: join(harness.root, "none") });
    expect([harness.requests(), harness.ran()]).toEqual([0, ["browser"]]);
    expect(stdout).toContain("There is no Electron in ELECTRON_OVERRIDE_DIST_PATH");
  });
});

describe("on Linux", () => {
  beforeEach(() => open("linux"));

  it("AGTMUX_UI=app downloads it and starts the app, without any tool of macOS", async () => {
    await harness.run({ AGTMUX_UI: "app" });
    expect([harness.ran(), harness.tools()]).toEqual([
      [`app ${join(harness.electron, "dist", "electron")} ${harness.root}`],
      [],
    ]);
  });
});

it("gives up on a download that stands still, with its installer ended and nothing left", async () => {
  await open("darwin");
  harness.serve("half and then nothing");
  const seen: number[] = [];
  let now = 0;
  const reason = await installElectron({
    folder: harness.electron,
    env: { ...process.env, ...harness.env },
    silenceMs: 5_000,
    // Time goes on only once the half is there: how soon its first and its last byte come is up to the machine.
    now: () => (seen.at(-1) === harness.halfBytes ? (now += 1_000) : now),
    onProgress: (progress) => seen.push(progress === "unpacking" ? Number.NaN : progress.bytes),
  });
  expect(reason).toBe("nothing came for 5 seconds");
  expect(seen).toEqual([...new Set(seen)].toSorted((one, other) => one - other));
  expect(seen.at(-1)).toBe(harness.halfBytes);
  expect(leftDownloads()).toEqual([]);
});

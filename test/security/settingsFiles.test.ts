// Integrations edit files that a person owns, in folders that others may have prepared: what is not a plain file of this
// user is left alone, whatever it was when it was looked at.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { Integrations, createTestEvents } from "../../core/integrations/integrations.ts";
import { createIdSource, createSystemClock } from "../../core/daemon/systemClock.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { createLocalExecutor } from "../../core/targets/executors/localExecutor.ts";
import { isRoot, NOBODY } from "./otherUser.ts";

const registry = createAdapterRegistry();
const AGENTS = ["claude", "gemini"] as const;
const BEFORE = '{\n  "theme": "dark"\n}\n';

let home: string;
let isFound: boolean;
let victim: string;
let settings: string;
let integrations: Integrations;
let close: () => Promise<void>;
/** Called right before the nth use of a file by the integration. */
let onUse: (use: number, operation: string, path: string) => void;

/** The real files, with a moment for somebody else before each use. */
const watched = (files: TargetFiles): TargetFiles => {
  let uses = 0;
  const before =
    <A extends [string, ...unknown[]], R>(operation: string, work: (...args: A) => R) =>
    (...args: A): R => {
      onUse(uses++, operation, args[0]);
      return work(...args);
    };
  return {
    ...files,
    readText: before("read", (path: string, maxBytes?: number) => files.readText(path, maxBytes)),
    stat: before("stat", (path: string) => files.stat(path)),
    writeText: before("write", (path: string, text: string, mode?: number) =>
      files.writeText(path, text, mode),
    ),
  };
};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agtmux-set-"));
  victim = join(home, "victim");
  isFound = false;
  writeFileSync(victim, "precious\n");
  onUse = () => {};
  const executor = createLocalExecutor({
    targetId: "host",
    env: { ...process.env, HOME: home },
  });
  const clock = createSystemClock();
  integrations = new Integrations({
    executor: { ...executor, files: watched(executor.files) },
    eventScript: join(home, ".agtmux", "bin", "agtmux-event"),
    adapterOf: (agentType) => registry.byAgentType(agentType),
    accountsOf: async ({ configFolder }) => [
      {
        configDir: join(home, configFolder?.usual ?? ""),
        dataDir: home,
        name: "usual",
        environment: [],
        ...(isFound ? { isFound: true as const } : {}),
      },
    ],
    agentTypes: () => [...AGENTS],
    eventHome: null,
    lastRealEventAt: () => null,
    testEvents: createTestEvents(clock),
    clock,
    ids: createIdSource(() => clock.now()),
  });
  close = () => executor.close();
});
afterEach(async () => {
  await close();
  rmSync(home, { recursive: true, force: true });
});

const install = (agent: string, dryRun = false) => integrations.change({ agent, action: "install", dryRun });
const prepare = async (agent: string): Promise<void> => {
  const { changes } = await install(agent, true);
  settings = changes.map(({ path }) => path).find((path) => path.endsWith(".json")) ?? "";
  expect(settings.startsWith(home)).toBe(true);
  mkdirSync(dirname(settings), { recursive: true });
};
const replaceBy = (make: (path: string) => void): void => {
  rmSync(settings, { force: true });
  make(settings);
};
const makeFifo = (path: string): void => void execFileSync("mkfifo", [path]);
const link = (path: string): void => symlinkSync(victim, path);
const untouched = (): void => {
  expect(readFileSync(victim, "utf8")).toBe("precious\n");
  expect(readdirSync(dirname(settings)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
};

describe.each(AGENTS)("the settings of %s", (agent) => {
  beforeEach(() => prepare(agent));

  it.each<[string, (path: string) => void]>([
    ["a FIFO", makeFifo],
    ["a folder", (path) => mkdirSync(path)],
    ["a link to a device", (path) => symlinkSync("/dev/null", path)],
    ["a link to a device that never ends", (path) => symlinkSync("/dev/zero", path)],
    ["a link to a FIFO", (path) => (makeFifo(join(home, "pipe")), symlinkSync(join(home, "pipe"), path))],
    ["a link to itself", (path) => symlinkSync(path, path)],
    ["huge", (path) => writeFileSync(path, BEFORE + " ".repeat(17 * 1024 * 1024))],
  ])("that are %s are refused, as they are for a look, and stay what they are", async (_what, make) => {
    replaceBy(make);
    const before = lstatSync(settings);
    const device = statSync("/dev/null");
    await expect(install(agent, true)).rejects.toThrow();
    await expect(install(agent)).rejects.toThrow();
    const after = lstatSync(settings);
    expect([after.mode, after.ino, after.size]).toEqual([before.mode, before.ino, before.size]);
    expect([statSync("/dev/null").ino, statSync("/dev/null").isCharacterDevice()]).toEqual([
      device.ino,
      true,
    ]);
    untouched();
  });

  it.runIf(isRoot)("that belong to another user are refused: a rename would take them from him", async () => {
    writeFileSync(settings, BEFORE);
    chownSync(settings, NOBODY, NOBODY);
    await expect(install(agent)).rejects.toMatchObject({
      code: "E_INTEGRATION_REFUSED",
      message: expect.stringContaining("another user") as string,
    });
    expect([readFileSync(settings, "utf8"), statSync(settings).uid]).toEqual([BEFORE, NOBODY]);
  });

  it.each<[string, (backup: string) => void]>([
    ["a link to another file", (backup) => symlinkSync(victim, backup)],
    ["a link to nothing yet", (backup) => symlinkSync(join(home, "planted"), backup)],
    ["a FIFO", makeFifo],
    ["a folder", (backup) => mkdirSync(backup)],
  ])("are not changed where %s lies in the backup's place", async (_what, make) => {
    writeFileSync(settings, BEFORE);
    make(`${settings}.agtmux-backup`);
    await expect(install(agent)).rejects.toMatchObject({ code: "E_INTEGRATION_REFUSED" });
    expect(readFileSync(settings, "utf8")).toBe(BEFORE);
    expect(existsSync(join(home, "planted"))).toBe(false);
    untouched();
  });

  it("that have another name too keep what that name shows", async () => {
    writeFileSync(victim, BEFORE);
    linkSync(victim, settings);
    await install(agent);
    expect(readFileSync(victim, "utf8")).toBe(BEFORE);
    expect(readFileSync(settings, "utf8")).toContain("agtmux-event");
  });

  it("are for their owner only where they are new, and keep their mode where not", async () => {
    const previous = process.umask(0);
    try {
      await install(agent);
      expect(statSync(settings).mode & 0o077).toBe(0);
      await integrations.change({ agent, action: "uninstall", dryRun: false });
      writeFileSync(settings, BEFORE);
      chmodSync(settings, 0o640);
      await install(agent);
      expect(statSync(settings).mode & 0o777).toBe(0o640);
      expect(statSync(`${settings}.agtmux-backup`).mode & 0o077).toBe(0);
    } finally {
      process.umask(previous);
    }
  });

  /** At any moment of an install somebody puts something else in the settings' place. */
  describe.each<[string, (path: string) => void]>([
    ["other settings", (path) => writeFileSync(path, '{"mine": true}')],
    ["a FIFO", makeFifo],
    ["a link to a device", (path) => symlinkSync("/dev/null", path)],
    ["a folder", (path) => mkdirSync(path)],
    // A link to a file of the same person would be followed, as a link that was there before is.
    ...(isRoot ? [["a link to another user's file", link] as [string, typeof link]] : []),
  ])("that become %s while they are edited", (_what, make) => {
    it("are never lost: refused, or edited as what they were a moment ago", async () => {
      writeFileSync(settings, BEFORE);
      let uses = 0;
      onUse = () => (uses += 1);
      await install(agent, true);
      await install(agent);
      expect(uses).toBeGreaterThan(4);
      if (isRoot) chownSync(victim, NOBODY, NOBODY);
      const refusals: number[] = [];
      for (let at = 0; at < uses; at++) {
        rmSync(settings, { recursive: true, force: true });
        rmSync(`${settings}.agtmux-backup`, { force: true });
        writeFileSync(settings, BEFORE);
        const aside = `${settings}.aside`;
        let count = 0;
        onUse = () => {
          if (count++ !== at) return;
          renameSync(settings, aside);
          make(settings);
        };
        await install(agent).catch(() => refusals.push(at));
        const now = lstatSync(settings);
        // Whatever was put there is still there, unless it was a plain file at its last look.
        if (now.isFile()) expect(readFileSync(settings, "utf8")).toMatch(/agtmux-event|mine|theme/);
        rmSync(aside, { force: true });
        expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
        untouched();
      }
      expect(refusals.length).toBeGreaterThan(0);
    });
  });
});

describe("a folder that only a running agent named", () => {
  it.each([
    ["the file", (path: string) => link(path)],
    [
      "a link to a link",
      (path: string) => {
        const between = join(dirname(path), "inside");
        link(between);
        symlinkSync("inside", path);
      },
    ],
  ])("is not written through: %s", async (_what, make) => {
    await prepare("claude");
    writeFileSync(victim, "{}\n");
    replaceBy(make);
    isFound = true;
    await expect(install("claude")).rejects.toMatchObject({ code: "E_INTEGRATION_REFUSED" });
    expect(readFileSync(victim, "utf8")).toBe("{}\n");
    // Of a folder that a person uses or named, links are followed.
    isFound = false;
    await install("claude");
    expect(readFileSync(victim, "utf8")).toContain("agtmux-event");
  });
});

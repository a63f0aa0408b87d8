// Every agent's integration on real files, through the daemon's own runner: whatever a person's settings look like, install
// and uninstall leave them byte for byte as they were; a file that was changed in between loses exactly our entries.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
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
import { createLocalExecutor } from "../../core/targets/executors/localExecutor.ts";

const registry = createAdapterRegistry();
/** gjc needs an installed version of at least 0.17, which no empty home has: its own tests play one. */
const NEEDS_AN_INSTALLED_AGENT = "gjc";
const agents = registry
  .list()
  .filter((adapter) => adapter.integration !== undefined && adapter.agentType !== NEEDS_AN_INSTALLED_AGENT);

let home: string;
let integrations: Integrations;
let close: () => Promise<void>;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agtmux-set-"));
  const executor = createLocalExecutor({
    targetId: "host",
    env: { ...process.env, HOME: home },
  });
  const clock = createSystemClock();
  integrations = new Integrations({
    executor,
    eventScript: join(home, "agtmux home", "bin", "agtmux-event"),
    adapterOf: (agentType) => registry.byAgentType(agentType),
    accountsOf: async ({ configFolder }) => [
      {
        configDir: join(home, configFolder?.usual ?? ""),
        dataDir: home,
        name: "usual",
        environment: [],
      },
    ],
    agentTypes: () => agents.map((adapter) => adapter.agentType),
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
});

const change = (agent: string, action: "install" | "repair" | "uninstall") =>
  integrations.change({ agent, action, dryRun: false });
/** Files that an install in an empty home touches. */
const pathsOf = async (agent: string): Promise<string[]> =>
  (await integrations.change({ agent, action: "install", dryRun: true })).changes.map(({ path }) => path);

/** Settings as people have them; a foreign hook beside ours in the shape that these agents share. */
const FOREIGN = {
  hooks: { Stop: [{ hooks: [{ type: "command", command: "say done" }] }] },
  unknownKey: { deep: [1, 2, { x: null }] },
  version: 1,
};
const SHAPES: [string, string][] = [
  ["indented with two spaces", `${JSON.stringify(FOREIGN, null, 2)}\n`],
  ["indented with tabs", `${JSON.stringify(FOREIGN, null, "\t")}\n`],
  ["on one line, without a final newline", JSON.stringify(FOREIGN)],
  ["with CRLF", `${JSON.stringify(FOREIGN, null, 2).replaceAll("\n", "\r\n")}\r\n`],
  ["with an empty hooks object", '{\n    "hooks": {},\n    "theme": "dark"\n}'],
  ["that is an empty object", "{}\n"],
];

describe.each(agents.map((adapter) => adapter.agentType))("the integration of %s", (agent) => {
  it("creates what is missing, is idempotent, and takes it away again", async () => {
    const paths = await pathsOf(agent);
    expect(paths.length).toBeGreaterThan(0);
    expect((await change(agent, "install")).applied).toBe(true);
    expect((await change(agent, "install")).changes).toEqual([]);
    expect((await integrations.change({ agent, action: "repair", dryRun: true })).changes).toEqual([]);
    await change(agent, "uninstall");
    for (const path of paths) expect(() => statSync(path)).toThrow("ENOENT");
  });

  it.each(SHAPES)("leaves settings %s byte for byte as they were", async (_shape, text) => {
    const [path = ""] = (await pathsOf(agent)).filter((one) => one.endsWith(".json"));
    if (path === "") return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const installed = await change(agent, "install").catch((error: unknown) => {
      // A file of our own that holds something else is refused, not overwritten.
      expect(error).toMatchObject({ code: "E_INTEGRATION_REFUSED" });
      return null;
    });
    if (installed !== null) {
      expect(readFileSync(path, "utf8")).toContain("agtmux-event");
      await change(agent, "uninstall");
    }
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("keeps symlinks, modes and read-only files what they are", async () => {
    const [path = ""] = (await pathsOf(agent)).filter((one) => one.endsWith(".json"));
    if (path === "") return;
    const dotfile = join(home, "dotfiles", "settings.json");
    mkdirSync(dirname(path), { recursive: true });
    mkdirSync(dirname(dotfile));
    writeFileSync(dotfile, '{\n  "hooks": {}\n}\n');
    chmodSync(dotfile, 0o444);
    symlinkSync("../dotfiles/settings.json".replace("..", join(home)), path);
    const target = readlinkSync(path);
    const isInstalled = await change(agent, "install").then(
      () => true,
      () => false,
    );
    if (isInstalled) await change(agent, "uninstall");
    expect([
      lstatSync(path).isSymbolicLink(),
      readlinkSync(path),
      statSync(dotfile).mode & 0o777,
      readFileSync(dotfile, "utf8"),
    ]).toEqual([true, target, 0o444, '{\n  "hooks": {}\n}\n']);
  });

  it("refuses what does not parse, naming the file, and does not touch it", async () => {
    const [path = ""] = (await pathsOf(agent)).filter((one) => one.endsWith(".json"));
    if (path === "") return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{ "hooks": [ }');
    await expect(change(agent, "install")).rejects.toMatchObject({
      code: "E_INTEGRATION_REFUSED",
      message: expect.stringContaining(path) as string,
    });
    expect(readFileSync(path, "utf8")).toBe('{ "hooks": [ }');
  });
});

it("refuses gjc, whose version cannot be known here, and writes nothing", async () => {
  await expect(change(NEEDS_AN_INSTALLED_AGENT, "install")).rejects.toMatchObject({
    code: "E_INTEGRATION_REFUSED",
  });
});

it("puts entries that drifted in again, and keeps what is not ours", async () => {
  await change("claude", "install");
  const path = join(home, ".claude", "settings.json");
  const settings = JSON.parse(readFileSync(path, "utf8")) as {
    hooks: Record<string, unknown[]>;
    theme?: string;
  };
  delete settings.hooks["Stop"];
  settings.theme = "dark";
  writeFileSync(path, JSON.stringify(settings, null, 2));
  await change("claude", "repair");
  const repaired = JSON.parse(readFileSync(path, "utf8")) as typeof settings;
  expect([Object.keys(repaired.hooks).includes("Stop"), repaired.theme]).toEqual([true, "dark"]);
});

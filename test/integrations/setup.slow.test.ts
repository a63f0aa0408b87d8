// `agtmux setup` as the real command on a HOME with the settings of seven agents: what it finds, installs and says, and that
// `--remove` leaves every file byte for byte as it was.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SetupDocument } from "../../core/model/documents.ts";
import { startProgram, type Finished } from "../harness/commandLine.ts";
import { spawnDaemon, type DaemonProcess } from "../harness/daemonProcess.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";

const LIMIT_MS = 60_000;

/** As people have them: others' hooks, comments, odd indentation, no final newline. */
const SETTINGS: Readonly<Record<string, string>> = {
  ".claude/settings.json": `{\n\t"theme": "dark",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\n}`,
  ".codex/hooks.json": `{"hooks": {}}\n`,
  ".codex/config.toml": `model = "o5"\nnotify = ["say", "done"]\n`,
  ".gemini/settings.json": `// mine\n{\n  "ui": { "hideTips": true }\n}\n`,
  ".copilot/config.json": `{ "banner": "never" }\n`,
  ".config/opencode/opencode.json": `{ "$schema": "https://opencode.ai/config.json" }\n`,
  ".omp/agent/settings.json": `{}\n`,
  ".pi/agent/settings.json": `{ "theme": "light" }\r\n`,
};
const AGENTS = ["claude", "codex", "copilot", "gemini", "omp", "opencode", "pi"];

let root: string;
let home: string;
let tmux: PrivateTmux;
let daemon: DaemonProcess;
let env: Record<string, string>;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-su-"));
  home = join(root, "home");
  for (const [path, text] of Object.entries(SETTINGS)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  chmodSync(join(home, ".claude/settings.json"), 0o640);
  mkdirSync(join(root, "a"), { mode: 0o700 });
  tmux = createPrivateTmux();
  await tmux.newSession("work");
  env = {
    HOME: home,
    AGTMUX_HOME: join(root, "a"),
    AGTMUX_TMUX_SOCKETS: tmux.socketPath,
    AGTMUX_NO_START: "1",
    NO_COLOR: "1",
  };
  daemon = await spawnDaemon({ home: join(root, "a"), env });
});
afterEach(async () => {
  await daemon.stop();
  await tmux.close();
  rmSync(root, { recursive: true, force: true });
});

const setup = (...args: string[]): Promise<Finished> =>
  startProgram(process.execPath, [CLI_ENTRY, "setup", ...args], env).finished;
const document = async (...args: string[]): Promise<SetupDocument> => {
  const { stdout, stderr } = await setup(...args, "--json");
  expect(stderr).toBe("");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the document's schema has its own tests
  return JSON.parse(stdout) as SetupDocument;
};

/** Every file below HOME with its mode and bytes. */
const files = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [
        relative(home, path),
        `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, "utf8")}`,
      ]),
  );

describe("setup", () => {
  it(
    "finds what is there, changes nothing with --dry-run, and asks nobody where nobody can answer",
    async () => {
      const before = files();
      const look = await setup("--dry-run");
      expect(look.code).toBe(0);
      expect(look.stdout).toMatch(/^✓ tmux \d/m);
      expect(look.stdout).toMatch(
        /^\+ Claude Code: no hooks yet: \d+ lines into .*\/\.claude\/settings\.json/m,
      );
      expect(look.stdout).toMatch(
        /^\+ pi: no hooks yet: a new file, .*\/\.pi\/agent\/extensions\/agtmux\.ts/m,
      );
      expect(look.stdout).not.toContain("Cursor");
      expect(look.stdout).toContain("Nothing was changed (--dry-run).");
      const refused = await setup();
      expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining("Install for 7 agents")]);
      expect(files()).toEqual(before);
    },
    LIMIT_MS,
  );

  it(
    "installs for all agents at once, and afterwards nothing is wrong: one step is the person's",
    async () => {
      const done = await setup("--yes");
      expect([done.code, done.stderr]).toEqual([0, ""]);
      expect(done.stdout.match(/has its hooks\./g)).toHaveLength(7);
      const [, after = ""] = done.stdout.split("has its hooks.").slice(-2);
      expect(after).not.toContain("✗");
      expect(after).toContain("trust the hooks in Codex");
      const now = await document();
      expect(now).toMatchObject({ action: "setup", outcomes: [] });
      if (now.action !== "setup") return;
      expect(now.items.map(({ identity, state }) => [identity.agent, state])).toEqual(
        AGENTS.map((agent) => [agent, "installed"]),
      );
      expect(now.steps.map(({ what }) => what)).toEqual([
        "trust the hooks in Codex",
        "start opencode once with network",
      ]);
      // Codex wrote the trust, and opencode its package.
      const hooks = join(home, ".codex/hooks.json");
      const events: string[] = Object.keys(
        (JSON.parse(readFileSync(hooks, "utf8")) as { hooks: Record<string, unknown> }).hooks,
      );
      const trust = events.map(
        (event) => `[hooks.state."${hooks}:${event}:0:0"]\ntrusted_hash = "sha256:00ff"\n`,
      );
      writeFileSync(join(home, ".codex/config.toml"), trust.join(""), { flag: "a" });
      mkdirSync(join(home, ".config/opencode/node_modules/@opencode-ai/plugin"), { recursive: true });
      writeFileSync(join(home, ".config/opencode/node_modules/@opencode-ai/plugin/package.json"), "{}");
      expect((await setup()).stdout).toContain("Everything is set up.");
    },
    LIMIT_MS,
  );

  it(
    "goes on with the others where one agent's settings cannot be changed, and says so",
    async () => {
      writeFileSync(join(home, ".gemini/settings.json"), "{ broken");
      const done = await setup("--yes");
      expect(done.code).toBe(0);
      expect(done.stdout).toMatch(/^✗ Gemini CLI: .*settings\.json/m);
      expect(done.stdout.match(/has its hooks\./g)).toHaveLength(6);
      expect(readFileSync(join(home, ".gemini/settings.json"), "utf8")).toBe("{ broken");
    },
    LIMIT_MS,
  );
});

describe("setup --remove", () => {
  it(
    "leaves every file byte for byte as it was before, and says what is left",
    async () => {
      const before = files();
      expect((await setup("--yes")).code).toBe(0);
      expect(files()).not.toEqual(before);
      writeFileSync(join(root, "a/spool/bad/old"), "x");
      const shown = await setup("--remove", "--dry-run");
      expect(shown.code).toBe(0);
      for (const path of [
        ".claude/settings.json",
        ".codex/hooks.json",
        "extensions/agtmux.ts",
        "agtmux-backup",
      ])
        expect(shown.stdout).toContain(path);
      expect(shown.stdout).toContain(`${join(root, "a/spool")} is removed`);
      expect((await setup("--remove")).code).toBe(6);
      expect((await setup("--remove", "--dry-run")).stdout).toBe(shown.stdout);

      const done = await setup("--remove", "--yes");
      expect([done.code, done.stderr]).toEqual([0, ""]);
      expect(done.stdout).toContain("agtmux was taken out.");
      expect(done.stdout).toContain(`rm -r ${join(root, "a")}`);
      expect(files()).toEqual(before);
      expect(existsSync(join(root, "a/spool"))).toBe(false);
      expect(existsSync(join(root, "a/bin"))).toBe(false);
      expect(existsSync(join(root, "a/state.db"))).toBe(true);
    },
    LIMIT_MS,
  );

  it(
    "takes out exactly our part of settings that changed meanwhile, and keeps a backup that is needed",
    async () => {
      expect((await setup("--yes")).code).toBe(0);
      const path = join(home, ".claude/settings.json");
      writeFileSync(path, readFileSync(path, "utf8").replace('"dark"', '"light"'));
      const gone = await document("--remove", "--yes");
      expect(readFileSync(path, "utf8")).toBe(
        SETTINGS[".claude/settings.json"]?.replace('"dark"', '"light"'),
      );
      expect(existsSync(`${path}.agtmux-backup`)).toBe(true);
      expect(gone).toMatchObject({ action: "remove", applied: true });
      if (gone.action === "remove")
        expect(gone.left).toContainEqual(expect.stringContaining(`${path}.agtmux-backup`));
    },
    LIMIT_MS,
  );

  it(
    "leaves what somebody edited, and with it the spool that its hooks use",
    async () => {
      expect((await setup("--yes")).code).toBe(0);
      const plugin = join(home, ".pi/agent/extensions/agtmux.ts");
      writeFileSync(plugin, `${readFileSync(plugin, "utf8")}\n// mine\n`);
      const done = await setup("--remove", "--yes");
      expect(done.code).toBe(0);
      expect(done.stdout).toContain("pi is left alone");
      expect(existsSync(plugin)).toBe(true);
      expect(existsSync(join(root, "a/spool"))).toBe(true);
      expect(files()[".claude/settings.json"]).toBe(`640 ${SETTINGS[".claude/settings.json"]}`);
    },
    LIMIT_MS,
  );

  it(
    "has nothing to do where nothing is installed",
    async () => {
      const before = files();
      const done = await setup("--remove", "--dry-run", "--target", "host");
      expect([done.code, done.stderr]).toEqual([0, ""]);
      expect(files()).toEqual(before);
    },
    LIMIT_MS,
  );
});

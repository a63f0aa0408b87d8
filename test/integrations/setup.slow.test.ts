// `agtmux setup` as the real command on a HOME with the settings of seven agents: what it finds, installs and says, and that
// `--remove` leaves every file byte for byte as it was.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENTS, openSetupHome, SETTINGS } from "./setupHarness.ts";

const LIMIT_MS = 60_000;

describe.concurrent("setup", () => {
  it(
    "finds what is there, changes nothing with --dry-run, and asks nobody where nobody can answer",
    async (test) => {
      const { setup, files } = await openSetupHome(test);
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
    async (test) => {
      const { home, setup, document } = await openSetupHome(test);
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
});

describe.concurrent("setup --remove", () => {
  it(
    "leaves every file byte for byte as it was before, and says what is left",
    async (test) => {
      const { root, setup, files } = await openSetupHome(test);
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
      expect(done.stdout).toContain("agtmux was removed.");
      expect(done.stdout).toContain(`rm -r ${join(root, "a")}`);
      expect(files()).toEqual(before);
      expect(existsSync(join(root, "a/spool"))).toBe(false);
      expect(existsSync(join(root, "a/bin"))).toBe(false);
      expect(existsSync(join(root, "a/state.db"))).toBe(true);
    },
    LIMIT_MS,
  );

  it(
    "sums up what goes before it asks, file by file, and shows every line with d",
    async (test) => {
      const { setup, typed, files } = await openSetupHome(test);
      expect((await setup("--yes")).code).toBe(0);
      const before = files();
      const shown = await typed("setup --remove", [
        ["Remove all of this? [y/N, d shows the changes]", "d"],
        ["@@ ", "n"],
      ]);
      const [summary = "", all = ""] = shown.split("Remove all of this?");
      expect(summary).toMatch(/^On host, \d+ files change:$/m);
      expect(summary).toMatch(/^ {2}\S+\/\.claude\/settings\.json +\u2212\d+( \+\d+)?$/m);
      expect(summary).toMatch(/\/spool is removed/);
      expect(summary).not.toContain("@@");
      expect(all).toMatch(/^-.*agtmux-event/m);
      expect(shown).toContain("status 6");
      expect(files()).toEqual(before);
    },
    LIMIT_MS,
  );

  it(
    "takes out exactly our part of settings that changed meanwhile, and keeps a backup that is needed",
    async (test) => {
      const { home, setup, document } = await openSetupHome(test);
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
    async (test) => {
      const { root, home, setup, files } = await openSetupHome(test);
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
    async (test) => {
      const { setup, files } = await openSetupHome(test);
      const before = files();
      const done = await setup("--remove", "--dry-run", "--target", "host");
      expect([done.code, done.stderr]).toEqual([0, ""]);
      expect(files()).toEqual(before);
    },
    LIMIT_MS,
  );
});

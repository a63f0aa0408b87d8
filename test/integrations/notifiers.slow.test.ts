// Who notifies of an agent that does so by itself: `agtmux setup` and `agtmux integrate` as the real commands say it, offer it,
// carry it out and take it back, on a HOME with the settings of seven agents.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openSetupHome, SETTINGS } from "./setupHarness.ts";

const LIMIT_MS = 60_000;
const CLAUDE = ".claude/settings.json";
const CODEX = ".codex/config.toml";
const RECORD = ".agtmux-notifications";
const SAYS = "Claude Code shows a notification where its terminal can, and so does agtmux.";

/** Of the daemon's own configuration; null where there is no file. */
const mutedIn = (root: string): unknown => {
  try {
    const config = JSON.parse(readFileSync(join(root, "a/config.json"), "utf8")) as {
      notifications?: { muted_agents?: unknown };
    };
    return config.notifications?.muted_agents ?? [];
  } catch {
    return null;
  }
};

describe("setup of agents that notify by themselves", () => {
  it(
    "says so, and changes nothing without being told who is to notify",
    async (test) => {
      const { root, setup, document, files } = await openSetupHome(test);
      const done = await setup("--yes");
      expect(done.code).toBe(0);
      expect(done.stdout).toContain(SAYS);
      expect(done.stdout).toContain("Codex rings the bell of its terminal");
      expect(done.stdout).toContain("'agtmux setup --notify agtmux'");
      // As they come, these two do not notify.
      expect(done.stdout).not.toMatch(/(?:Copilot|Gemini).*so does agtmux/);
      expect(files()[CODEX]).toBe(`644 ${SETTINGS[CODEX]}`);
      expect(files()[CLAUDE]).not.toContain("preferredNotifChannel");
      expect(Object.keys(files()).filter((path) => path.endsWith(RECORD))).toEqual([]);
      expect(mutedIn(root)).toBeNull();
      const now = await document();
      expect(now).toMatchObject({ action: "setup", notified: [] });
      if (now.action !== "setup") return;
      expect(
        now.items.flatMap(({ identity, notifications }) =>
          notifications === null ? [] : [[identity.agent, notifications.told_by]],
        ),
      ).toEqual([
        ["claude", "both"],
        ["codex", "both"],
      ]);
    },
    LIMIT_MS,
  );

  it(
    "with --notify agtmux switches the agents' own off, and --remove leaves every file byte for byte as it was",
    async (test) => {
      const { home, root, setup, document, files } = await openSetupHome(test);
      writeFileSync(join(home, ".copilot/settings.json"), '// mine\n{ "beep": true }');
      const before = files();
      expect((await setup("--notify", "agtmux")).code).toBe(6);
      const shown = await setup("--notify", "agtmux", "--dry-run");
      expect(shown.stdout).toContain("+notifications = false");
      expect(files()).toEqual(before);
      const done = await document("--notify", "agtmux", "--yes");
      expect(done).toMatchObject({
        notified: ["claude", "codex", "copilot"].map((agent) => ({ agent, problem: null })),
      });
      expect(files()[CLAUDE]).toContain('"preferredNotifChannel": "notifications_disabled"');
      expect(files()[CODEX]).toBe(`644 ${SETTINGS[CODEX]}\n[tui]\nnotifications = false\n`);
      expect(files()[".copilot/settings.json"]).toBe('644 // mine\n{ "beep": false }');
      expect(mutedIn(root)).toBeNull();
      expect((await setup()).stdout).toContain("Only agtmux notifies you about Claude Code");
      const gone = await setup("--remove", "--yes");
      expect([gone.code, gone.stderr]).toEqual([0, ""]);
      expect(files()).toEqual(before);
    },
    LIMIT_MS,
  );

  it(
    "with --notify agent mutes them in agtmux, and with --notify both nothing is changed any more",
    async (test) => {
      const { root, setup, document, files } = await openSetupHome(test);
      expect((await setup("--yes")).code).toBe(0);
      const before = files();
      expect((await setup("--yes", "--notify", "agent")).code).toBe(0);
      expect(mutedIn(root)).toEqual(["claude", "codex"]);
      expect(files()).toEqual(before);
      expect((await setup()).stdout).toContain("Only Claude Code itself notifies you");
      expect((await setup("--yes", "--notify", "agtmux")).code).toBe(0);
      expect(mutedIn(root)).toEqual([]);
      expect((await setup("--yes", "--notify", "both")).code).toBe(0);
      expect(await document()).toMatchObject({
        items: expect.arrayContaining([
          expect.objectContaining({
            identity: { agent: "claude" },
            notifications: expect.objectContaining({ told_by: "both" }),
          }),
        ]) as unknown,
      });
      const backups = ([path]: [string, string]): boolean => !path.endsWith("agtmux-backup");
      expect(Object.entries(files()).filter(backups)).toEqual(Object.entries(before).filter(backups));
      expect((await setup("--yes", "--notify", "nobody")).stderr).toContain("both, agtmux, agent");
      expect((await setup("--remove", "--notify", "both")).code).toBe(2);
    },
    LIMIT_MS,
  );

  it(
    "leaves a malformed file as it is, says what is wrong with it, and goes on with the others",
    async (test) => {
      const { home, setup, files } = await openSetupHome(test);
      expect((await setup("--yes")).code).toBe(0);
      writeFileSync(join(home, CODEX), '[tui\nnotifications = "x"\n');
      const said = await setup();
      expect(said.stdout).toMatch(
        /Can't tell whether Codex notifies you itself\. .*config\.toml is not valid TOML/,
      );
      const before = files()[CODEX];
      const done = await setup("--yes", "--notify", "agtmux");
      expect(files()[CODEX]).toBe(before);
      expect(Object.keys(files())).not.toContain(`${CODEX}${RECORD}`);
      expect(done.stdout).toContain("Only agtmux notifies you about Claude Code");
      expect(done.code).toBe(0);
    },
    LIMIT_MS,
  );
});

describe("setup of several accounts", () => {
  it(
    "goes by the settings of each, and mutes an agent only where all of them notify",
    async (test) => {
      const { home, root, setup, document, files } = await openSetupHome(test);
      const work = join(home, ".claude-work");
      mkdirSync(work);
      writeFileSync(join(work, "settings.json"), '{"preferredNotifChannel": "notifications_disabled"}');
      writeFileSync(join(root, "a/config.json"), JSON.stringify({ agents: { claude: { folders: [work] } } }));
      await vi.waitFor(async () => expect((await setup()).stdout).toContain(".claude-work"), LIMIT_MS);
      const before = files();
      expect((await setup("--yes")).code).toBe(0);
      const toldBy = async () => {
        const now = await document();
        if (now.action !== "setup") return [];
        return now.items
          .filter(({ identity }) => identity.agent === "claude")
          .map(({ notifications }) => notifications?.told_by ?? null);
      };
      expect(await toldBy()).toEqual(["both", null]);
      // The one that is silent by its own settings would have nobody.
      const refused = await setup("--yes", "--notify", "agent");
      expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining("nobody would tell you")]);
      expect(mutedIn(root)).toEqual(["codex"]);
      writeFileSync(join(work, "settings.json"), before[".claude-work/settings.json"]?.slice(4) ?? "");
      expect((await setup("--yes", "--notify", "agtmux")).code).toBe(0);
      expect(await toldBy()).toEqual(["agtmux", null]);
      expect((await setup("--remove", "--yes")).code).toBe(0);
      expect(files()[CLAUDE]).toBe(before[CLAUDE]);
      expect(files()[".claude-work/settings.json"]).toBe(before[".claude-work/settings.json"]);
    },
    LIMIT_MS,
  );
});

describe("setup at a terminal", () => {
  it(
    "asks once for each agent that has just got its hooks; Enter leaves both",
    async (test) => {
      const { home, root, typed } = await openSetupHome(test);
      const shown = await typed("setup", [
        ["Install for 7 agents?", "y"],
        ["1-3", "d"],
        ['"preferredNotifChannel": "notifications_disabled"', "2"],
        ["Codex rings the bell", ""],
      ]);
      expect(shown).toContain(SAYS);
      expect(shown).toContain("2 Only agtmux: its own is switched off in");
      expect(shown).toContain("✓ Only agtmux notifies you about Claude Code.");
      expect(shown).toContain("status 0");
      expect(readFileSync(join(home, CLAUDE), "utf8")).toContain("notifications_disabled");
      expect(readFileSync(join(home, CODEX), "utf8")).toBe(SETTINGS[CODEX]);
      expect(mutedIn(root)).toBeNull();
    },
    LIMIT_MS,
  );
});

describe("integrate --notify", () => {
  it(
    "does it for one agent, and --uninstall puts the agent's own back",
    async (test) => {
      const { home, run, files } = await openSetupHome(test);
      writeFileSync(join(home, ".gemini/settings.json"), '{ "general": { "enableNotifications": true } }');
      const before = files();
      expect((await run("integrate", "gemini", "--yes")).code).toBe(0);
      const done = await run("integrate", "gemini", "--notify", "agtmux", "--yes");
      expect([done.code, done.stderr]).toEqual([0, ""]);
      expect(done.stdout).toContain("Only agtmux notifies you about gemini.");
      expect(files()[".gemini/settings.json"]).toContain('"enableNotifications": false');
      // Our hooks are written again without touching it.
      expect((await run("integrate", "gemini", "--repair", "--yes")).code).toBe(0);
      expect(files()[".gemini/settings.json"]).toContain('"enableNotifications": false');
      expect((await run("integrate", "gemini", "--uninstall", "--yes")).code).toBe(0);
      const { ".gemini/settings.json.agtmux-backup": _kept, ...left } = files();
      expect(left).toEqual(before);
    },
    LIMIT_MS,
  );

  it(
    "is refused where nobody would notify, and for agents that do not notify by themselves",
    async (test) => {
      const { root, run, files } = await openSetupHome(test);
      const before = files();
      const copilot = await run("integrate", "copilot", "--notify", "agent", "--yes");
      expect([copilot.code, copilot.stderr]).toEqual([
        expect.any(Number),
        expect.stringContaining("then nobody would tell you"),
      ]);
      expect(copilot.code).not.toBe(0);
      const pi = await run("integrate", "pi", "--notify", "agtmux", "--yes");
      expect(pi.stderr).toContain("has no notifications of its own");
      const gjc = await run("integrate", "gjc", "--notify", "agtmux", "--yes");
      expect(gjc.stderr).toContain("Set ask.notify and completion.notify to off");
      expect([files(), mutedIn(root)]).toEqual([before, null]);
      expect((await run("integrate", "claude", "--notify", "both", "--verify")).code).toBe(2);
    },
    LIMIT_MS,
  );
});

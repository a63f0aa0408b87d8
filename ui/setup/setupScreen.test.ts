import { describe, expect, it } from "vitest";
import type { IntegrationReport, SetupAgent, SetupLook } from "../../core/model/adapterView.ts";
import { installAll, setupScreen } from "./setupScreen.ts";

const NEW = "--- /h/.pi/agtmux.ts\t(new)\n+++ /h/.pi/agtmux.ts\t\n@@ -0,0 +1,2 @@\n+a\n+b\n";
const EDIT = "--- /h/.claude/s.json\t\n+++ /h/.claude/s.json\t\n@@ -1 +1,2 @@\n-x\n+y\n+z\n";

const agent = (more: Partial<SetupAgent> = {}): SetupAgent => ({
  agent: "claude",
  name: "Claude Code",
  folder: "/h/.claude",
  state: "installed",
  missing: [],
  problems: [],
  steps: [],
  lastRealEventAt: null,
  version: "2.1.0",
  running: 0,
  silent: 0,
  changes: [],
  notifications: null,
  ...more,
});
const look = (...agents: SetupAgent[]): SetupLook => ({
  target: "host",
  tmux: { path: "/usr/bin/tmux", version: "3.5a", problem: null },
  agents,
  keep_awake: "working",
});
const absent = (more: Partial<SetupAgent> = {}): SetupAgent =>
  agent({ state: "absent", changes: [{ path: "/h/.claude/s.json", diff: EDIT }], ...more });
const codex = agent({
  agent: "codex",
  name: "Codex",
  steps: [{ what: "trust the hooks in Codex", how: "Start codex." }],
});

const notifications = (more: Partial<NonNullable<SetupAgent["notifications"]>> = {}) => ({
  what: "rings the bell",
  told_by: "both" as const,
  path: "/h/.claude/s.json",
  how: null,
  ...more,
});

describe("an agent that notifies by itself", () => {
  const notifyingOf = (more: Partial<SetupAgent>) => setupScreen(look(agent(more))).notifications;

  it("is named in one sentence, with three choices in plain words", () => {
    expect(notifyingOf({ notifications: notifications() })).toEqual([
      {
        agent: "claude",
        folder: "/h/.claude",
        name: "Claude Code",
        text: "Claude Code rings the bell, and so does agtmux.",
        now: "both",
        choices: [
          { who: "both", label: "Both", means: "as now" },
          { who: "agtmux", label: "Only agtmux", means: "its own is switched off in /h/.claude/s.json" },
          {
            who: "agent",
            label: "Only Claude Code",
            means: "agtmux mutes it on every machine",
          },
        ],
      },
    ]);
  });

  it.each<[Partial<NonNullable<SetupAgent["notifications"]>>, string, string | null, string[]]>([
    [
      { told_by: "agtmux" },
      "Only agtmux notifies you about Claude Code",
      "agtmux",
      ["both", "agtmux", "agent"],
    ],
    [{ told_by: "agent" }, "Only Claude Code itself notifies you", "agent", ["both", "agtmux", "agent"]],
    [{ told_by: "nobody" }, "Nothing notifies you about Claude Code", null, ["both", "agtmux"]],
    [
      { told_by: "unclear", how: "/h/s.json is broken" },
      "notifies you itself. /h/s.json is broken.",
      null,
      [],
    ],
    [{ path: null, how: "Set x to off." }, "To be notified once: Set x to off.", "both", ["both", "agent"]],
  ])("with %o: %s", (more, text, now, choices) => {
    const [notifying] = notifyingOf({ notifications: notifications(more) });
    expect(notifying?.text).toContain(text);
    expect([notifying?.now, notifying?.choices.map(({ who }) => who)]).toEqual([now, choices]);
  });

  it("is not spoken of before it has hooks", () => {
    expect(notifyingOf({ state: "absent", notifications: notifications() })).toEqual([]);
    expect(notifyingOf({})).toEqual([]);
  });
});

describe("the set-up screen", () => {
  it("says of each agent what one press would change, and counts them in its button", () => {
    const pi = agent({
      agent: "pi",
      name: "pi",
      version: null,
      state: "absent",
      running: 2,
      changes: [{ path: "/h/.pi/agtmux.ts", diff: NEW }],
    });
    const screen = setupScreen(look(absent(), pi, codex));
    expect(screen.lines.map(({ mark, name, text }) => [mark, name, text])).toEqual([
      ["ok", "tmux 3.5a", "/usr/bin/tmux"],
      ["open", "Claude Code 2.1.0", "no hooks yet: 2 lines into /h/.claude/s.json, 1 out of it"],
      ["open", "pi · 2 running", "no hooks yet: a new file, /h/.pi/agtmux.ts"],
      ["ok", "Codex 2.1.0", "hooks installed; still to do: trust the hooks in Codex"],
    ]);
    expect(screen.button).toBe("Install for 2 agents");
    expect(screen.installable.map((one) => one.agent)).toEqual(["claude", "pi"]);
    expect(setupScreen(look(absent())).button).toBe("Install for 1 agent");
  });

  it("says what hooks are good for, of one agent and of several", () => {
    expect(setupScreen(look(absent())).headline).toBe(
      "With hooks, status is instant and exact; without, it's read from the screen.",
    );
    expect(setupScreen(look(absent(), absent({ agent: "pi" }))).headline).toBe(
      "With hooks, status is instant and exact; without, it's read from the screen.",
    );
  });

  it("has nothing red after the installation: what is left is one sentence", () => {
    const one = setupScreen(look(agent(), codex));
    expect([one.button, one.headline]).toEqual([null, "One step left: trust the hooks in Codex."]);
    expect(one.lines.every(({ mark }) => mark === "ok")).toBe(true);
    const other = agent({ agent: "opencode", steps: [{ what: "start opencode once", how: "Do." }] });
    expect(setupScreen(look(codex, other)).headline).toBe(
      "2 steps left: trust the hooks in Codex; start opencode once.",
    );
    expect(setupScreen(look(agent())).headline).toBe("Everything is set up.");
  });

  it("says what runs since before its hooks, what is refused, and what is wrong", () => {
    const screen = setupScreen(
      look(
        agent({ running: 3, silent: 2 }),
        agent({ agent: "gjc", state: "absent", problems: ["gjc 0.16 quarantines extensions"] }),
        agent({ agent: "gemini", state: "unclear", problems: ["settings.json does not parse"] }),
        agent({ agent: "claude2", problems: ["hooks are switched off"] }),
      ),
    );
    expect(screen.notes[0]).toContain("2 running agents have sent no event yet");
    expect(screen.lines.map(({ mark }) => mark)).toEqual(["ok", "ok", "none", "problem", "problem"]);
    expect(screen.button).toBeNull();
  });

  it("says what to do without tmux and without agents", () => {
    expect(setupScreen({ ...look(), keep_awake: "never" }).notes).toEqual([]);
    const none = { ...look(), tmux: { path: null, version: null, problem: "No tmux. Install it." } };
    expect(setupScreen(none)).toMatchObject({ headline: "agtmux needs tmux.", button: null });
    expect(setupScreen(look()).headline).toContain("No agents found yet");
  });

  it("shows what other programs wrote without what steers a terminal", () => {
    const screen = setupScreen(look(agent({ name: "Cl\u001b[31maude\u202e", version: "1\u0007" })));
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(screen.lines[1]?.name).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

describe("the one button", () => {
  const report = (changes: IntegrationReport["changes"], backups: string[] = []): IntegrationReport => ({
    agent: "x",
    changes,
    applied: false,
    backups,
  });

  it("installs exactly what was shown, and goes on where one is refused or has changed", async () => {
    const done: string[] = [];
    const shown = [absent(), absent({ agent: "codex", name: "Codex" }), absent({ agent: "pi", name: "pi" })];
    const outcomes = await installAll(shown, async ({ agent: which, dryRun }) => {
      if (which === "claude") throw new Error("the file is a pipe");
      if (!dryRun) done.push(which);
      return report(which === "codex" ? [] : (shown[0]?.changes ?? []), dryRun ? [] : ["/h/b"]);
    });
    expect(done).toEqual(["pi"]);
    expect(outcomes.map(({ agent: which, problem }) => [which, problem])).toEqual([
      ["claude", "the file is a pipe"],
      ["codex", "Its settings changed in the meantime, so nothing was done. Look again."],
      ["pi", null],
    ]);
    expect(outcomes[2]?.backups).toEqual(["/h/b"]);
  });
});

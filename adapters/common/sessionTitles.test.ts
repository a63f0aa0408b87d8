// What agents call their sessions: in the titles that were recorded, and in the files that they write.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../index.ts";
import { logText, readTitle, TRANSCRIPT_HOME } from "../testkit/transcripts.ts";

const registry = createAdapterRegistry();
const adapterOf = (agent: string) => registry.byAgentType(agent) ?? expect.fail(agent);
const FOLDER = "/home/dev/project";

describe("the title of a pane", () => {
  it.each([
    ["claude", "✳ Claude Code", null],
    ["claude", "⠂ Claude Code", null],
    ["claude", "✳ Split the refund service", "Split the refund service"],
    ["claude", "devbox", null],
    ["claude", "✳ ", null],
    ["codex", "⠹ project", null],
    ["codex", "[ ! ] Action Required | project", null],
    ["copilot", "SAY hello from the lab - GitHub Copilot", "SAY hello from the lab"],
    ["copilot", "GitHub Copilot", null],
    ["gemini", "✋  Action Required (project)          ", null],
    ["gemini", "✦  Working… (project)                 ", null],
    ["omp", "π > Lab session", "Lab session"],
    ["omp", "π ⠙ Lab session", "Lab session"],
    ["omp", "π ! Lab session", "Lab session"],
    ["omp", "π: Lab session", "Lab session"],
    ["omp", "π > project", null],
    ["omp", "devbox", null],
    ["opencode", "OC | Lab session", "Lab session"],
    ["opencode", "OC | New session - 2026-11-22T10:00:00.000Z", null],
    ["opencode", "OpenCode", null],
    ["pi", "π - project", null],
    ["pi", "π - Refunds - round once - project", "Refunds - round once"],
    ["pi", "π - other - folder", null],
  ])("of %s %j says %j of the work", (agent, title, expected) => {
    expect(adapterOf(agent).titleOfSession?.(title, FOLDER) ?? null).toBe(expected);
  });

  it.each(["omp", "pi"])("of %s says nothing while the folder is not known", (agent) => {
    const adapter = adapterOf(agent);
    expect([
      adapter.titleOfSession?.("π > project", null),
      adapter.titleOfSession?.("π - project", null),
    ]).toEqual([null, null]);
  });

  it("is hostile: whatever it holds, nothing is thrown and it stays one title", () => {
    for (const adapter of registry.list())
      for (const title of [
        "",
        "\u0000",
        "✳ ".repeat(5_000),
        "π - ".repeat(5_000),
        " - GitHub Copilot".repeat(999),
      ])
        expect(() => adapter.titleOfSession?.(title, "/")).not.toThrow();
  });
});

const SESSION = "04410b52-d984-4402-87ca-299d79f6c462";
const CLAUDE_LOG = `${TRANSCRIPT_HOME}/.claude/projects/-home-dev-project/${SESSION}.jsonl`;
const claudeTitle = (...lines: readonly unknown[]) =>
  readTitle(
    adapterOf("claude"),
    { [CLAUDE_LOG]: logText(lines) },
    { transcriptPath: CLAUDE_LOG, agentSessionId: SESSION },
  );
const custom = (customTitle: string, sessionId = SESSION) => ({
  type: "custom-title",
  customTitle,
  sessionId,
});
const given = (aiTitle: string) => ({ type: "ai-title", aiTitle, sessionId: SESSION });

describe("a file that names the session", () => {
  it("of Claude Code is its log: what the person called it, else what the program did", async () => {
    expect(await claudeTitle(given("Split refunds"), given("Split the refund service"))).toBe(
      "Split the refund service",
    );
    expect(await claudeTitle(custom("refunds"), given("Split the refund service"))).toBe("refunds");
    expect(await claudeTitle(custom("of another session", "83b1d8fc"), { type: "mode" })).toBeNull();
    expect(await claudeTitle({ type: "summary", summary: "another session", leafUuid: "x" })).toBeNull();
  });

  const workspace = (name: string) =>
    readTitle(
      adapterOf("copilot"),
      {
        [`${TRANSCRIPT_HOME}/.copilot/session-state/s1/workspace.yaml`]: `id: s1\ncwd: ${FOLDER}\n${name}user_named: false\n`,
      },
      { agentSessionId: "s1" },
    );
  it.each([
    ["name: RUN touch k120.txt\n", "RUN touch k120.txt"],
    ['name: "fix: the \\"bug\\""\n', 'fix: the "bug"'],
    ["name: 'it''s done'\n", "it's done"],
    ["name: |\n  two\n  lines\n", null],
    ["", null],
  ])("of Copilot is the session's own: %j", async (line, expected) => {
    expect(await workspace(line)).toBe(expected);
  });

  const recorded = (agent: string) =>
    readFileSync(new URL(`../../test/fixtures/transcripts/${agent}.jsonl`, import.meta.url), "utf8");
  const familyTitle = (agent: "omp" | "pi", text: string) => {
    const path = `${TRANSCRIPT_HOME}/.${agent}/agent/sessions/-project/1_x.jsonl`;
    return readTitle(adapterOf(agent), { [path]: text }, { transcriptPath: path });
  };
  it("of oh-my-pi and pi is the session file", async () => {
    expect(await familyTitle("omp", recorded("omp"))).toBe("Lab session");
    expect(await familyTitle("pi", recorded("pi"))).toBeNull();
    const named = (name: string) => `${JSON.stringify({ type: "session_info", name })}\n`;
    expect(await familyTitle("pi", `${recorded("pi")}${named("Refunds")}`)).toBe("Refunds");
    expect(await familyTitle("pi", `${recorded("pi")}${named("Refunds")}${named("")}`)).toBeNull();
  });
});

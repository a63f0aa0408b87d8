import { describe, expect, it } from "vitest";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { createGjcAdapter } from "./index.ts";
import { createSkillReader, skillLine } from "./skillProgress.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();
const state = (skills: readonly unknown[], more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    version: 1,
    active: true,
    skill: "ralplan",
    phase: "critic",
    updated_at: at(-1),
    session_id: "s.1",
    active_skills: skills,
    ...more,
  });
const skill = (name: string, phase: string, minutes = -1, more: Record<string, unknown> = {}) => ({
  skill: name,
  phase,
  active: true,
  updated_at: at(minutes),
  ...more,
});
const line = (text: string) => skillLine(text, "s.1", NOW);

describe("the skills of a gjc session", () => {
  it("are named with their phase; of the pipeline only the newest stage, the team beside it", () => {
    expect(
      line(
        state([
          skill("deep-interview", "complete", -20),
          skill("team", "running", -5),
          skill("ralplan", "critic", -1),
        ]),
      ),
    ).toBe("team: running · ralplan: critic");
    expect(line(state([skill("ralplan", "critic", -1), skill("deep-interview", "complete", -20)]))).toBe(
      "ralplan: critic",
    );
  });

  it.each([
    ["another session's", state([skill("ralplan", "critic")], { session_id: "s2" })],
    ["of a skill of another session", state([skill("ralplan", "critic", -1, { session_id: "s2" })])],
    ["that is over", state([skill("ralplan", "critic")], { active: false })],
    ["of a skill that is over", state([skill("ralplan", "critic", -1, { active: false })])],
    ["that was handed over", state([skill("ralplan", "final", -1, { handoff_to: "ultragoal" })])],
    ["older than gjc calls fresh", state([skill("ralplan", "critic", -31)])],
    ["of another version", state([skill("ralplan", "critic")], { version: 2 })],
    ["without skills", state([])],
    ["half written", state([skill("ralplan", "critic")]).slice(0, 40)],
    ["of strange types", state([1, null, "x", { skill: 3 }, { phase: "critic" }])],
  ])("are not told from a file %s", (_what, text) => {
    expect(line(text)).toBeNull();
  });

  it("cannot bring control characters or long texts in", () => {
    const said = line(state([skill("a\u001b[2J\n", "p".repeat(9_000)), skill("b", "c")]));
    expect(said).toMatch(/^a \[2J : p+/);
    expect(said?.length).toBeLessThanOrEqual(200);
  });
});

describe("finding the file", () => {
  const SESSION = "/home/dev/.gjc/agent/sessions/v2-1/x_s.1.jsonl";
  const own = "/home/dev/project/.gjc/state/sessions/s%2E1/skill-active-state.json";
  const root = "/home/dev/project/.gjc/state/skill-active-state.json";
  const request = (
    texts: Record<string, string>,
    agentSessionId: string | null,
    cwd = "/home/dev/project",
  ) => ({
    files: memoryFiles(texts, { mtimeMs: NOW, links: { "/proc/7/cwd": "/home/dev/project" } }),
    configDir: "/home/dev/.gjc/agent",
    process: { pid: 7, ppid: 1, comm: "gjc", args: "gjc", startedAt: NOW - 60_000 },
    pane: { tty: "/dev/pts/3" } as never,
    agentSessionId,
    transcriptPath: null,
    cwd,
  });
  const read = createSkillReader(() => NOW);

  it("takes the session's own file before the project's", async () => {
    const texts = { [own]: state([skill("ultragoal", "active")]), [root]: state([skill("ralplan", "adr")]) };
    expect(await read(request(texts, "s.1"))).toBe("ultragoal: active");
    expect(await read(request({ [root]: texts[root] ?? "" }, "s.1"))).toBe("ralplan: adr");
  });

  it("never takes the file of another gjc in the same folder", async () => {
    const texts = { [root]: state([skill("ralplan", "adr")]) };
    expect(await read(request(texts, "s2"))).toBeNull();
    expect(await read(request(texts, null))).toBeNull();
  });

  it("asks for no file that cannot be named: half a character in a session's id", async () => {
    expect(await read(request({ [root]: state([skill("ralplan", "adr")]) }, "\ud800"))).toBeNull();
  });

  it("knows its session without events by the file of its terminal", async () => {
    const texts = {
      [root]: state([skill("ralplan", "adr")]),
      "/home/dev/.gjc/agent/terminal-sessions/pts-3": `/home/dev/project\n${SESSION}`,
      [SESSION]: `${JSON.stringify({ type: "session", id: "s.1" })}\n`,
    };
    expect(await read(request(texts, null))).toBe("ralplan: adr");
  });

  it("is part of the adapter", () => {
    expect(Object.keys(createGjcAdapter())).toContain("readProgress");
  });
});

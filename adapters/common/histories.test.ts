// What each adapter reads of the sessions that its agent keeps, from logs of real sessions.
import { describe, expect, it } from "vitest";
import type { FileHistory, LogLine, SessionFacts } from "../../core/ports/agentFiles.ts";
import { createAdapterRegistry } from "../index.ts";
import { recordedLog } from "../testkit/recordedLog.ts";

const ADAPTERS = createAdapterRegistry();

const historyOf = (agent: string): FileHistory => {
  const history = ADAPTERS.byAgentType(agent)?.history;
  if (history?.kind !== "files") throw new Error(`${agent} keeps no files`);
  return history;
};

const factsOf = (agent: string, path: string, text: string, headBytes = text.length): SessionFacts | null =>
  historyOf(agent).readFacts({ path, head: text.slice(0, headBytes), tail: text });

const linesOf = (text: string): LogLine[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LogLine);

/** The same log with other values in its first line. */
const withHeader = (text: string, header: object): string => {
  const [first = "", ...rest] = text.split("\n");
  return [JSON.stringify({ ...JSON.parse(first), ...header }), ...rest].join("\n");
};

const ID = "be13efa4-5500-4a36-bcfb-d9b25ad7fa4a";
const CODEX_ID = "01a2059b-7fc5-7cc3-a062-067da0b4b9f5";
const PATHS: Readonly<Record<string, string>> = {
  claude: `-home-dev-project/${ID}.jsonl`,
  codex: `2026/11/22/rollout-2026-11-22T23-33-26-${CODEX_ID}.jsonl`,
  gemini: "project/chats/session-2026-11-22T23-13-4b6e8189.jsonl",
  copilot: "4f8298d2-418e-4a80-b3af-93ac5d9530f5/events.jsonl",
  pi: "--home-dev-project--/2026-11-22T23-13-31-141Z_01a20589-4204-70db-9a77-c95e1db5b8ee.jsonl",
  qwen: "-home-dev-project/chats/33809b9f-5e7a-4872-9486-242f1baf7226.jsonl",
  omp: "-project/2026-11-22T23-13-41-541Z_01a20589-6aa5-753f-82e9-158139f45e05.jsonl",
};

describe("the facts of a session", () => {
  it.each([
    ["claude", ID, "SAY one", "master", "2026-11-22T22:46:32.287Z"],
    ["codex", CODEX_ID, "FAIL 400", null, "2026-11-22T23:33:26.610Z"],
    [
      "gemini",
      "4b6e8189-3f3a-40cf-925f-814b9d479929",
      "SAY hello from the lab",
      null,
      "2026-11-22T23:13:25.418Z",
    ],
    ["copilot", "4f8298d2-418e-4a80-b3af-93ac5d9530f5", "SAY one", "master", "2026-11-22T22:46:27.177Z"],
    [
      "pi",
      "01a20589-4204-70db-9a77-c95e1db5b8ee",
      "SAY hello from the lab",
      null,
      "2026-11-22T23:13:31.141Z",
    ],
    [
      "qwen",
      "33809b9f-5e7a-4872-9486-242f1baf7226",
      "SAY hello from the lab",
      null,
      "2026-11-29T11:39:06.621Z",
    ],
    [
      "omp",
      "01a20589-6aa5-753f-82e9-158139f45e05",
      "SAY hello from the lab",
      null,
      "2026-11-22T23:13:41.541Z",
    ],
  ])("of %s are read from its log", (agent, id, firstPrompt, branch, startedAt) => {
    const facts = factsOf(agent, PATHS[agent] ?? "", recordedLog(`${agent}.jsonl`));
    expect(facts).toMatchObject({
      id,
      firstPrompt,
      branch,
      cwd: "/home/dev/project",
      startedAt: Date.parse(startedAt),
      parentId: null,
    });
    expect(facts?.lastAt ?? 0).toBeGreaterThan(Date.parse(startedAt));
  });

  it("have the name that omp keeps above the first entry", () => {
    expect(factsOf("omp", PATHS["omp"] ?? "", recordedLog("omp.jsonl"))?.title).toBe("Lab session");
  });

  it("have the newest name, and the person's before the program's", () => {
    const named = (type: string, fields: object) => `${JSON.stringify({ type, sessionId: ID, ...fields })}\n`;
    const log = recordedLog("claude.jsonl");
    const ai = `${log}${named("ai-title", { aiTitle: "one" })}${named("ai-title", { aiTitle: "two" })}`;
    const own = `${named("custom-title", { customTitle: "mine" })}${ai}`;
    const foreign = named("custom-title", { customTitle: "other", sessionId: "another-session" });
    const titles = [ai, own, `${ai}${foreign}`].map(
      (text) => factsOf("claude", PATHS["claude"] ?? "", text)?.title,
    );
    expect(titles).toEqual(["two", "mine", "two"]);
  });

  it("name the session from which one was forked", () => {
    const codex = recordedLog("codex.jsonl");
    const meta = linesOf(codex)[0]?.["payload"] as object;
    const forked = withHeader(codex, { payload: { ...meta, forked_from_id: "parent-of-it" } });
    const pi = withHeader(recordedLog("pi.jsonl"), { parentSession: "/s/2026_01a20589-parent.jsonl" });
    const claude = `${JSON.stringify({ type: "user", sessionId: "parent-session", cwd: "/w" })}\n${recordedLog("claude.jsonl")}`;
    expect(factsOf("codex", PATHS["codex"] ?? "", forked)?.parentId).toBe("parent-of-it");
    expect(factsOf("pi", PATHS["pi"] ?? "", pi)?.parentId).toBe("01a20589-parent");
    expect(factsOf("claude", PATHS["claude"] ?? "", claude)?.parentId).toBe("parent-session");
  });

  it("are not read of what a sub-agent wrote", () => {
    const codex = recordedLog("codex.jsonl");
    const meta = linesOf(codex)[0]?.["payload"] as object;
    const side = recordedLog("claude.jsonl").replaceAll('"isSidechain":false', '"isSidechain":true');
    const started = { payload: { ...meta, source: { subagent: { thread_spawn: { depth: 1 } } } } };
    expect(factsOf("claude", PATHS["claude"] ?? "", side)).toBeNull();
    expect(factsOf("codex", PATHS["codex"] ?? "", withHeader(codex, started))).toBeNull();
    expect(
      factsOf("gemini", PATHS["gemini"] ?? "", withHeader(recordedLog("gemini.jsonl"), { kind: "subagent" })),
    ).toBeNull();
    const { roots } = historyOf("claude");
    expect(roots[0]?.file.test(`-home-dev-project/${ID}/subagents/agent-1.jsonl`)).toBe(false);
  });

  it("are not read of a log whose id could be an option or a path", () => {
    const header = (id: string) => withHeader(recordedLog("pi.jsonl"), { id });
    for (const id of ["--help", "../../etc", "a b", "", "-rf"])
      expect(factsOf("pi", PATHS["pi"] ?? "", header(id)), id).toBeNull();
  });

  it("end where the piece ends, however long the first line is", () => {
    const codex = recordedLog("codex.jsonl");
    const meta = linesOf(codex)[0]?.["payload"] as object;
    const long = withHeader(codex, { payload: { ...meta, base_instructions: { text: "x".repeat(22_000) } } });
    expect(factsOf("codex", PATHS["codex"] ?? "", long, 16_000)).toMatchObject({
      id: CODEX_ID,
      firstPrompt: null,
    });
    expect(factsOf("codex", PATHS["codex"] ?? "", long)).toMatchObject({ cwd: "/home/dev/project" });
  });

  it.each(Object.keys(PATHS))("of %s survive any damage to the log", (agent) => {
    const log = recordedLog(`${agent}.jsonl`);
    for (let at = 0; at < log.length; at += 97)
      for (const damaged of [
        log.slice(at),
        log.slice(0, at),
        `${log.slice(0, at)}\u0000${log.slice(at + 1)}`,
      ])
        expect(() => factsOf(agent, PATHS[agent] ?? "", damaged)).not.toThrow();
  });
});

describe("a session's tree", () => {
  const entry = (id: string, parentId: string | null, text: string): LogLine => ({
    type: "message",
    id,
    parentId,
    timestamp: "2026-11-22T23:13:33.804Z",
    message: { role: "user", content: text },
  });
  const lines = [
    entry("a", null, "one"),
    entry("b", "a", "two, given up"),
    entry("c", "a", "two"),
    entry("d", "c", "three"),
  ];

  it("is read in pieces as it is read whole: along the newest branch", () => {
    const pi = historyOf("pi");
    const whole = pi.readEntries(lines, null).entries.map(({ text }) => text);
    expect(whole).toEqual(["one", "two", "three"]);
    for (let cut = 1; cut < lines.length; cut += 1) {
      const newer = pi.readEntries(lines.slice(cut), null);
      const older = pi.readEntries(lines.slice(0, cut), newer.leaf);
      expect([...older.entries, ...newer.entries].map(({ text }) => text)).toEqual(whole);
    }
  });
});

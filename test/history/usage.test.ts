// What was used, against a count by hand, on logs as agents write them: the same answer in several lines, in several files, with
// numbers that grow, in logs of sub-agents, and written while they are read.
import { appendFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HistoryUsage, UsageGroup } from "../../core/model/history.ts";
import { makeHistoryHome, RECORDED_PATHS, type HistoryHome } from "./historyHome.ts";

let home: HistoryHome;

beforeEach(() => {
  home = makeHistoryHome();
});
afterEach(() => home.close());

const jsonl = (...lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const claudePath = (id: string): string => `.claude/projects/-w/${id}.jsonl`;

const usage = async (
  by: UsageGroup = "agent",
  more: { since?: number; folder?: string } = {},
): Promise<HistoryUsage> => {
  await home.refresh();
  while (!(await home.ask("readUsage", undefined)).isDone);
  return home.ask("usage", { by, ...more });
};
/** `<group> <answers> <input> <output> <cache read> <cache write> <cost>`. */
const rows = async (by?: UsageGroup, more?: { since?: number; folder?: string }): Promise<string[]> =>
  (await usage(by, more)).items.map(({ identity, answers, input, output, cache_read, cache_write, cost }) =>
    [...Object.values(identity), answers, input, output, cache_read, cache_write, cost].join(" "),
  );

const prompt = {
  type: "user",
  cwd: "/w",
  timestamp: "2026-11-22T10:00:00.000Z",
  message: { role: "user", content: "go" },
};
const answer = (
  id: string,
  [input, output, read, write]: number[],
  at = "2026-11-22T10:00:05.000Z",
  more = {},
): object => ({
  type: "assistant",
  timestamp: at,
  message: {
    id,
    role: "assistant",
    model: "opus",
    content: [],
    usage: {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: write,
    },
  },
  ...more,
});

describe("what was used", () => {
  it("is what the recorded logs state", async () => {
    for (const agent of Object.keys(RECORDED_PATHS)) home.writeRecorded(agent);
    // By hand: each answer has 10 and 5 tokens. Claude adds what the session has cost.
    expect(await rows()).toEqual([
      "claude 11 110 55 0 0 0.00222",
      "copilot 7 70 35 0 0 ",
      "codex 1 10 5 0 0 ",
    ]);
  });

  it("counts an answer once: the last of its lines, also in the log of a fork", async () => {
    const lines = [
      prompt,
      answer("m1", [10, 1, 5, 7]),
      answer("m1", [10, 40, 5, 7]),
      answer("m2", [20, 2, 0, 0]),
    ];
    home.write(claudePath("aaaaaaaa-1111"), jsonl(...lines));
    home.write(claudePath("bbbbbbbb-2222"), jsonl(...lines, answer("m3", [1, 1, 1, 1])));
    expect(await rows()).toEqual(["claude 3 31 43 6 8 "]);
  });

  it("counts sub-agents, as part of their session", async () => {
    home.write(claudePath("aaaaaaaa-1111"), jsonl(prompt, answer("m1", [10, 1, 0, 0])));
    const side = answer("s1", [100, 10, 0, 0], "2026-11-22T10:01:00.000Z", { isSidechain: true });
    home.write(".claude/projects/-w/aaaaaaaa-1111/subagents/agent-1.jsonl", jsonl(side));
    expect(await rows("session")).toEqual(["host claude aaaaaaaa-1111 2 110 11 0 0 "]);
    expect((await usage("session")).items[0]?.session?.first_prompt).toBe("go");
  });

  it("takes Codex's sums apart: a repeated count, a resumed session and a fork add nothing", async () => {
    const count = (total: number, last: number, at: string) => ({
      type: "event_msg",
      timestamp: at,
      payload: {
        type: "token_count",
        info: {
          total_token_usage: { input_tokens: total, cached_input_tokens: 0, output_tokens: total / 10 },
          last_token_usage: { input_tokens: last, cached_input_tokens: 4, output_tokens: last / 10 },
        },
      },
    });
    const meta = (id: string, more = {}) => ({
      type: "session_meta",
      timestamp: "2026-11-22T10:00:00Z",
      payload: { id, cwd: "/w", source: "cli", ...more },
    });
    const asked = { type: "event_msg", payload: { type: "user_message", message: "go" } };
    const context = { type: "turn_context", payload: { model: "gpt-5" } };
    const path = (id: string) => `.codex/sessions/2026/11/22/rollout-2026-11-22T10-00-00-${id}.jsonl`;
    const [one, two, three] = ["1", "2", "3"].map(
      (digit) => `${digit.repeat(8)}-1111-1111-1111-111111111111`,
    ) as [string, string, string];
    const own = [
      asked,
      context,
      count(100, 100, "2026-11-22T10:00:01Z"),
      count(100, 100, "2026-11-22T10:00:02Z"),
      count(300, 200, "2026-11-22T10:00:03Z"),
    ];
    home.write(path(one), jsonl(meta(one), ...own));
    home.write(
      path(two),
      jsonl(meta(two, { forked_from_id: one }), meta(one), ...own, count(350, 50, "2026-11-22T11:00:00Z")),
    );
    home.write(
      path(three),
      jsonl(
        meta(three, { forked_from_id: two }),
        meta(two, { forked_from_id: one }),
        meta(one),
        ...own,
        count(350, 50, "2026-11-22T11:00:00Z"),
      ),
    );
    // 100 + 200 + 50, of which 4 each came from the cache.
    expect(await rows("model")).toEqual(["gpt-5 3 338 35 12 0 "]);
  });

  it("has the cost that logs state, and no other", async () => {
    const pi = (id: string, cost: object | null) => ({
      type: "message",
      id,
      timestamp: "2026-11-22T10:00:00.000Z",
      message: {
        role: "assistant",
        model: "m",
        content: [],
        usage: { input: 10, output: 5, cacheRead: 1, cacheWrite: 2, ...(cost === null ? {} : { cost }) },
      },
    });
    const header = { type: "session", id: "01a20589-aaaa", timestamp: "2026-11-22T10:00:00.000Z", cwd: "/w" };
    const asked = {
      type: "message",
      id: "u",
      timestamp: "2026-11-22T10:00:00.000Z",
      message: { role: "user", content: "go" },
    };
    home.write(
      ".pi/agent/sessions/--w--/1_01a20589-aaaa.jsonl",
      jsonl(header, asked, pi("a", { total: 0.25 }), pi("b", { total: 0.5 }), pi("a", { total: 0.25 })),
    );
    home.write(".omp/agent/sessions/-w/1_01a20589-aaaa.jsonl", jsonl(header, asked, pi("a", null)));
    const db = home.openDatabase();
    db.exec(`INSERT INTO session VALUES ('ses_one111', NULL, '/w', 'name', 1, 2), ('ses_sub222', 'ses_one111', '/w', 'sub', 1, 2);
      INSERT INTO message VALUES
        ('m1', 'ses_one111', 1, '{"role":"assistant","modelID":"x","cost":0.1,"tokens":{"input":1,"output":2,"reasoning":3,"cache":{"read":4,"write":5}}}'),
        ('m2', 'ses_sub222', 1, '{"role":"assistant","modelID":"x","cost":0.2,"tokens":{"input":10,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}}');
      INSERT INTO part VALUES ('p1', 'm1', 'ses_one111', '{"type":"text","text":"go"}');`);
    expect((await rows()).toSorted()).toEqual([
      "omp 1 10 5 1 2 ",
      "opencode 2 11 5 4 5 0.30000000000000004",
      "pi 2 20 10 2 4 0.75",
    ]);
  });

  it("is added up by day, and filtered by time and folder", async () => {
    const days = ["2026-11-20T12:00:00.000Z", "2026-11-21T12:00:00.000Z"];
    home.write(
      claudePath("aaaaaaaa-1111"),
      jsonl(prompt, answer("m1", [1, 0, 0, 0], days[0]), answer("m2", [2, 0, 0, 0], days[1])),
    );
    home.write(
      claudePath("bbbbbbbb-2222"),
      jsonl({ ...prompt, cwd: "/other" }, answer("m3", [4, 0, 0, 0], days[1])),
    );
    expect(await rows("day")).toEqual(["2026-11-21 2 6 0 0 0 ", "2026-11-20 1 1 0 0 0 "]);
    expect(await rows("day", { since: Date.parse("2026-11-21T00:00:00Z") })).toEqual([
      "2026-11-21 2 6 0 0 0 ",
    ]);
    expect(await rows("agent", { folder: "/w" })).toEqual(["claude 2 3 0 0 0 "]);
  });

  it("follows a log that grows, also where its last line was half written, and one that is written again", async () => {
    const whole = jsonl(prompt, answer("m1", [1, 0, 0, 0]), answer("m2", [2, 0, 0, 0]));
    const path = home.write(claudePath("aaaaaaaa-1111"), whole.slice(0, -20));
    expect(await rows()).toEqual(["claude 1 1 0 0 0 "]);
    appendFileSync(path, whole.slice(-20));
    expect(await rows()).toEqual(["claude 2 3 0 0 0 "]);
    await home.restart();
    appendFileSync(path, jsonl(answer("m3", [4, 0, 0, 0])));
    expect(await rows()).toEqual(["claude 3 7 0 0 0 "]);
    writeFileSync(
      path,
      jsonl(
        { ...prompt, padding: "x".repeat(2_000) },
        answer("m1", [1, 0, 0, 0]),
        answer("m4", [8, 0, 0, 0]),
      ),
    );
    expect(await rows()).toEqual(["claude 4 15 0 0 0 "]);
  });

  it("takes no number that is none", async () => {
    const bad = ["1e9", -5, Number.NaN, null, {}, [7], 1e300];
    home.write(
      claudePath("aaaaaaaa-1111"),
      jsonl(prompt, ...bad.map((value, index) => answer(`m${index}`, [value as number, 1, 0, 0]))),
    );
    expect(await rows()).toEqual(["claude 7 0 7 0 0 "]);
  });
});

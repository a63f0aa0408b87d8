// Parts that are resumed and merged, the table they make, and what the exit status says.
import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findWorse, toIssue } from "./drift.ts";
import { brokenBy, stateRows, toMarkdown } from "./markdown.ts";
import { type Done, type Note, type Part, partName, type Step } from "./result.ts";
import { doneParts, exitStatus, mergeNotes, openResults } from "./store.ts";

const PART: Part = { agent: "pi", version: "1.0.0", mode: "screen", size: "120x40", kind: "states" };
const step = (name: string, verdict: Step["verdict"], more: Partial<Step> = {}): Step => ({
  kind: "step",
  part: PART,
  attempt: "a",
  step: name,
  truth: ["idle"],
  shown: "idle",
  reason: "fresh",
  verdict,
  detail: "",
  appearMs: null,
  leaveMs: null,
  hasRequest: null,
  folder: null,
  ...more,
});
const done = (more: Partial<Done> = {}): Done => ({
  kind: "done",
  part: PART,
  attempt: "a",
  at: "2026-01-01T00:00:00.000Z",
  seconds: 1,
  commit: "abc1234",
  scenarios: null,
  problem: null,
  ...more,
});
const verdicts = (notes: readonly Note[]): string[] =>
  mergeNotes(notes).steps.map(({ step: name, verdict }) => `${name} ${verdict}`);

describe("a part", () => {
  it("is done when all its scenarios came to their end without a problem", () => {
    const other = { ...PART, size: "80x24" } as const;
    const notes = [
      done(),
      done({ part: other, problem: "it broke" }),
      done({ part: other, scenarios: ["idle"] }),
    ];
    expect([...doneParts(notes)]).toEqual([partName(PART)]);
  });

  it("is driven again where a step could not be driven", () => {
    expect([...doneParts([step("idle", "right"), step("error", "undriven"), done()])]).toEqual([]);
    expect([...doneParts([step("idle", "wrong"), done()])]).toEqual([partName(PART)]);
  });

  it("counts for nothing when it was stopped in the middle", () => {
    expect(verdicts([step("idle", "wrong")])).toEqual([]);
  });

  it("is replaced by a later attempt with all scenarios, steps that are gone included", () => {
    const again = { attempt: "b" };
    const notes = [
      step("idle", "wrong"),
      step("old", "wrong"),
      done(),
      step("idle", "right", again),
      done(again),
    ];
    expect(verdicts(notes)).toEqual(["idle right"]);
  });

  it("keeps its other steps where only some were driven again", () => {
    const again = { attempt: "b" };
    const notes = [
      step("idle", "wrong"),
      step("error", "right"),
      done(),
      step("idle", "right", again),
      done({ ...again, scenarios: ["idle"] }),
    ];
    expect(verdicts(notes)).toEqual(["idle right", "error right"]);
  });
});

describe("the exit status", () => {
  const statusOf = (...notes: Note[]): number => exitStatus(mergeNotes(notes));

  it("is 0 where everything is right, late or unknown", () => {
    expect(statusOf(step("idle", "late"), step("error", "unknown"), done())).toBe(0);
  });

  it.each(["wrong", "undriven"] as const)("is 1 where a step is %s", (verdict) => {
    expect(statusOf(step("idle", "right"), step("error", verdict), done())).toBe(1);
  });

  it("is 1 where a part broke off, and where nothing was driven at all", () => {
    expect(statusOf(step("idle", "right"), done({ problem: "no tmux" }))).toBe(1);
    expect(statusOf()).toBe(1);
  });
});

describe("the table", () => {
  const notes = [
    step("waiting_approval", "right", { truth: ["waiting_approval"], appearMs: 100, hasRequest: true }),
    step("waiting_input", "right", { truth: ["waiting_input"], appearMs: 300, hasRequest: false }),
    step("denied", "wrong", { leaveMs: 900, shown: "running", reason: "tool", detail: "a | b" }),
    done(),
  ];

  it("has a row per agent, mode and size, with latencies of waits and of their ends apart", () => {
    const [row] = stateRows(mergeNotes(notes));
    expect(row).toMatchObject({
      agent: "pi",
      counts: { right: 2, late: 0, unknown: 0, wrong: 1, undriven: 0 },
      appear: { count: 2, median: 100, p95: 300 },
      leave: { count: 1, median: 900 },
      requests: { told: 1, all: 2 },
    });
  });

  it("names every case that is not right, and nothing of it breaks the table", () => {
    const text = toMarkdown(mergeNotes(notes));
    expect(text).toContain(
      "2 right, 0 late, 0 unknown, 1 wrong, 0 not driven, of 3 steps in 1 parts on 2026-01-01.",
    );
    expect(text).toContain(`| ${partName(PART)} | denied | wrong | idle | running/tool | a \\| b |`);
  });

  it("names what an agent that was driven does not have", () => {
    const lacks = ["pi", "omp"].map((agent) => ({ agent, step: "option_2", why: "it never asks" }));
    const text = toMarkdown(mergeNotes(notes), lacks);
    expect(text).toContain("| option_2 | it never asks | pi |");
  });

  it("tells what a new version broke: what was right before and is not any more", () => {
    const part = { ...PART, version: "2.0.0" };
    const fresh = { part, attempt: "b" };
    const merged = mergeNotes([
      ...notes,
      step("waiting_approval", "unknown", fresh),
      step("denied", "wrong", fresh),
      done(fresh),
    ]);
    expect(brokenBy(merged).map(({ step: name, part: { version } }) => `${name} ${version}`)).toEqual([
      "waiting_approval 2.0.0",
    ]);
  });
});

describe("an issue of a night", () => {
  const now = { part: { ...PART, version: "2.0.0" }, attempt: "b" };
  const before = mergeNotes([
    step("idle", "right"),
    step("error", "late"),
    step("denied", "wrong"),
    step("running", "right"),
    done(),
  ]);

  it("tells what was right the night before and is not now, with its screens", () => {
    const cases = mkdtempSync(join(tmpdir(), "agtmux-live-"));
    const name = `${partName(now.part).replaceAll(" ", "_")}/idle`;
    mkdirSync(join(cases, name), { recursive: true });
    writeFileSync(join(cases, name, "screen.txt"), "a screen\n~~~~\n@everybody\n");
    const [worse, ...others] = findWorse(
      before,
      mergeNotes([
        step("idle", "unknown", { ...now, folder: `/somewhere/cases/${name}`, detail: "`a` | <b>" }),
        step("error", "right", now),
        step("denied", "wrong", now),
        step("running", "late", now),
        done(now),
      ]),
    );
    if (worse === undefined) throw new Error("nothing is worse");
    expect([others, worse.agent, worse.versions]).toEqual([[], "pi", ["1.0.0", "2.0.0"]]);
    expect(worse.steps.map((one) => [one.now.step, one.before.verdict, one.now.verdict])).toEqual([
      ["idle", "right", "unknown"],
    ]);
    const text = toIssue(worse, cases);
    expect(text).toContain("agtmux reads pi 2.0.0 worse than it read 1.0.0: 1 steps");
    expect(text).toContain("| idle | right | unknown | idle | idle |  a b  |");
    // No row of the screen ends its quote.
    expect(text).toContain("~~~~~text\na screen\n~~~~\n@everybody\n~~~~~\n");
  });

  it("tells of parts that broke off, and reads no file from elsewhere", () => {
    const broke = done({ ...now, problem: "no tmux\n@all" });
    const [worse] = findWorse(
      before,
      mergeNotes([step("idle", "wrong", { ...now, folder: "x/cases/../../etc/passwd" }), broke]),
    );
    if (worse === undefined) throw new Error("nothing is worse");
    const text = toIssue(worse, "/nowhere");
    expect(text).toContain("broke off: no tmux all");
    expect(text).not.toContain("~~~");
  });

  it("is none where nothing is worse, where something is new, and where nothing was driven before", () => {
    const same = mergeNotes([step("idle", "right", now), step("new", "wrong", now), done(now)]);
    expect(findWorse(before, same)).toEqual([]);
    expect(findWorse(mergeNotes([]), before)).toEqual([]);
  });
});

describe("the results folder", () => {
  it("keeps what was noted, and passes over half a line of a run that was killed", () => {
    const folder = mkdtempSync(join(tmpdir(), "agtmux-live-"));
    openResults(folder).add(done());
    appendFileSync(join(folder, "results.jsonl"), '{"kind":"st');
    expect(openResults(folder).notes()).toEqual([done()]);
  });

  it("names the line that is no result", () => {
    const folder = mkdtempSync(join(tmpdir(), "agtmux-live-"));
    appendFileSync(join(folder, "results.jsonl"), '{"kind":"other"}\n');
    expect(() => openResults(folder).notes()).toThrow("line 1 is no result");
  });
});
